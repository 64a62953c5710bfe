import type { EngineError, InputIssue } from '@assent/engine'
import { computed, ref, type ComputedRef } from 'vue'
import { useLocale } from '../../config/config.ts'
import { formWords } from '../../locale/en-form.ts'
import { checkFields } from './check-fields.ts'
import type { FieldSpec } from './field-spec.ts'
import { isFields, pathKey } from './field-values.ts'
import { parseJson } from './form-state.ts'
import type { InputDraft } from './use-input-draft.ts'

/** What is wrong with an input that is being changed. */
export interface InputProblems {
  /** Beside the fields, by `pathKey`. */
  readonly byField: ComputedRef<ReadonlyMap<string, string>>
  /** What belongs to no field that is shown. */
  readonly general: ComputedRef<string | undefined>
  /** Looks whether it can be sent; from then on the fields are watched. Answers how many cannot. */
  check(): number
  forget(): void
}

export function useInputProblems({
  spec,
  draft,
  refusal,
}: {
  /** The form that is shown; none while it is JSON. */
  spec: () => FieldSpec | undefined
  draft: InputDraft
  /** Why the tool did not take it. */
  refusal: () => EngineError | undefined
}): InputProblems {
  const locale = useLocale()
  const isChecked = ref(false)

  /** What the form sees by itself. */
  const own = computed((): InputIssue[] => {
    const form = spec()
    return form ? checkFields(form, draft.value.value, formWords(locale.value)) : []
  })
  const badJson = computed(() => {
    if (!spec()) return new Map<string, string>()
    const broken = [...draft.raw].flatMap(([key, text]): [string, string][] => {
      const { problem } = parseJson(text)
      return problem === undefined ? [] : [[key, locale.value.notJson(problem)]]
    })
    return new Map(broken)
  })
  const refused = computed(() => issuesOf(refusal()))
  const byField = computed((): ReadonlyMap<string, string> => {
    const all = new Map<string, string>()
    if (!spec()) return all
    for (const { path, message } of refused.value) all.set(pathKey(path), message)
    if (!isChecked.value) return all
    for (const { path, message } of own.value) all.set(pathKey(path), message)
    for (const [key, message] of badJson.value) all.set(key, message)
    return all
  })
  const general = computed(() => {
    const { notJson, inputRefused } = locale.value
    const problem = spec() ? undefined : draft.jsonProblem.value
    if (isChecked.value && problem !== undefined) return notJson(problem)
    const error = refusal()
    // What is said beside the fields is not said again.
    const isBesideFields = spec() && refused.value.some(({ path }) => path.length > 0)
    return error && !isBesideFields ? inputRefused(error.message) : undefined
  })

  return {
    byField,
    general,
    check() {
      isChecked.value = true
      if (!spec()) return draft.jsonProblem.value === undefined ? 0 : 1
      return own.value.length + badJson.value.size
    },
    forget() {
      isChecked.value = false
    },
  }
}

/** What an engine says field by field; its details are checked, they may come from another tab. */
function issuesOf(error: EngineError | undefined): InputIssue[] {
  const issues = error?.details['issues']
  return Array.isArray(issues) ? issues.filter(isIssue) : []
}

function isIssue(value: unknown): value is InputIssue {
  return (
    isFields(value) &&
    typeof value['message'] === 'string' &&
    Array.isArray(value['path']) &&
    value['path'].every((key) => typeof key === 'string' || typeof key === 'number')
  )
}
