import type { JSONValue } from 'ai'
import { computed, ref, shallowReactive, shallowRef, watch } from 'vue'
import type { ComputedRef, Ref, ShallowReactive, ShallowRef } from 'vue'
import { useDraft } from '../../context/use-draft.ts'
import { changedFields } from './changed-fields.ts'
import { isFields } from './field-values.ts'
import { parseJson } from './form-state.ts'

/** An input that is being changed, in both of its forms. */
export interface InputDraft {
  /** What would run. */
  readonly value: Readonly<ShallowRef<unknown>>
  readonly view: Readonly<Ref<'form' | 'json'>>
  /** The text of the JSON editor. */
  readonly json: Readonly<Ref<string>>
  /** Why that is no JSON, while it is shown. */
  readonly jsonProblem: ComputedRef<string | undefined>
  /** Of fields that take JSON. */
  readonly raw: ShallowReactive<Map<string, string>>
  /** Something was typed, or was there from before. */
  readonly isTouched: Readonly<Ref<boolean>>
  readonly isRestored: Readonly<Ref<boolean>>
  /** How many places are not what they were. */
  readonly changeCount: ComputedRef<number>
  write(value: unknown): void
  writeJson(text: string): void
  show(view: 'form' | 'json'): void
  /** Back to the model's input. */
  reset(): void
}

/** What was typed into an editor; kept under a key, so that it is there after a reload, and in another tab. */
export function useInputDraft(original: () => unknown, key: () => string | undefined): InputDraft {
  const { draft, keep } = useDraft(key)
  const kept = isFields(draft.value) && 'value' in draft.value ? draft.value : undefined
  const value = shallowRef<unknown>(kept ? kept['value'] : original())
  const view = ref<'form' | 'json'>(kept?.['view'] === 'json' ? 'json' : 'form')
  const json = ref(typeof kept?.['json'] === 'string' ? kept['json'] : toJson(value.value))
  const raw = shallowReactive(new Map(readRaw(kept?.['raw'])))
  const isTouched = ref(kept !== undefined)
  const isRestored = ref(kept !== undefined)

  function touched(): void {
    isTouched.value = true
    isRestored.value = false
    // Inputs are JSON, and so is what a form makes of them.
    keep(typed())
  }

  function typed(): JSONValue {
    return {
      value: value.value as JSONValue,
      view: view.value,
      json: json.value,
      raw: Object.fromEntries(raw),
    }
  }

  // Two tabs that show it must not differ in what a yes would run.
  watch(draft, (now) => {
    if (!isFields(now) || !('value' in now) || JSON.stringify(now) === JSON.stringify(typed()))
      return
    value.value = now['value']
    view.value = now['view'] === 'json' ? 'json' : 'form'
    json.value = typeof now['json'] === 'string' ? now['json'] : toJson(value.value)
    raw.clear()
    for (const [name, text] of readRaw(now['raw'])) raw.set(name, text)
    isTouched.value = true
  })

  return {
    value,
    view,
    json,
    raw,
    isTouched,
    isRestored,
    jsonProblem: computed(() => parseJson(json.value).problem),
    changeCount: computed(() => changedFields(original(), value.value).length),
    write(next) {
      value.value = next
      json.value = toJson(next)
      touched()
    },
    writeJson(text) {
      json.value = text
      raw.clear()
      const parsed = parseJson(text)
      if (parsed.problem === undefined) value.value = parsed.value
      touched()
    },
    show(next) {
      view.value = next
      if (isTouched.value) touched()
    },
    reset() {
      value.value = original()
      json.value = toJson(value.value)
      raw.clear()
      isTouched.value = false
      isRestored.value = false
      keep(undefined)
    },
  }
}

function toJson(value: unknown): string {
  return JSON.stringify(value, null, 2) ?? ''
}

function readRaw(value: unknown): [string, string][] {
  if (!isFields(value)) return []
  return Object.entries(value).flatMap(([name, text]): [string, string][] =>
    typeof text === 'string' ? [[name, text]] : [],
  )
}
