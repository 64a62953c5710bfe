import type { ApprovalScope } from '@assent/engine'
import { ref, watch, type Ref } from 'vue'
import { useDraft } from '../context/use-draft.ts'
import { scopeOf, SPANS, type CoverChoice, type Span } from './cover-choices.ts'

type Where = NonNullable<ApprovalScope['where']>

/** What is chosen in the form of an always. */
export interface AlwaysChoice {
  /** Place in the choices. */
  readonly chosen: Ref<number>
  readonly where: Ref<Where>
  readonly span: Ref<Span>
  readonly uses: Ref<number | undefined>
  /** Something was chosen before, and is chosen again. */
  readonly isRestored: Readonly<Ref<boolean>>
  /** As a scope, from now on. */
  scope(): ApprovalScope | undefined
}

/** The choices of an always; kept under a key, so that they are there after a reload. */
export function useAlwaysChoice(
  choices: () => readonly CoverChoice[],
  key: () => string | undefined,
): AlwaysChoice {
  const { draft, keep } = useDraft(key)
  const kept = new Map<string, unknown>(Object.entries(draft.value ?? {}))
  const place = kept.get('chosen')
  const span = SPANS.find((one) => one === kept.get('span'))
  const uses = kept.get('uses')

  const choice = {
    chosen: ref(typeof place === 'number' && choices()[place] ? place : 0),
    where: ref<Where>(kept.get('where') === 'everywhere' ? 'everywhere' : 'conversation'),
    span: ref<Span>(span ?? 'hours'),
    uses: ref(typeof uses === 'number' ? uses : undefined),
    isRestored: ref(draft.value !== undefined),
  }
  watch([choice.chosen, choice.where, choice.span, choice.uses], () => {
    choice.isRestored.value = false
    keep({
      chosen: choice.chosen.value,
      where: choice.where.value,
      span: choice.span.value,
      ...(choice.uses.value !== undefined && { uses: choice.uses.value }),
    })
  })

  return {
    ...choice,
    scope() {
      const covered = choices()[choice.chosen.value]
      const { where, span: until, uses: count } = choice
      return covered && scopeOf(covered, where.value, until.value, count.value, Date.now())
    },
  }
}
