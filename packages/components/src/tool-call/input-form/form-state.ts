import { inject, provide } from 'vue'
import type { Component, ComputedRef, InjectionKey, ShallowReactive } from 'vue'
import { pathKey, type FieldPath } from './field-values.ts'

/** What all fields of one form share. */
export interface FormState {
  /** What is wrong, by {@link pathKey}. */
  readonly problems: ComputedRef<ReadonlyMap<string, string>>
  /** What was typed into fields that take JSON, as it was typed, by {@link pathKey}. */
  readonly raw: ShallowReactive<Map<string, string>>
  /** What shows one value; handed down, because groups and lists of values are values, too. */
  readonly control: Component
  /** Begins the ids of the elements of this form. */
  readonly id: string
}

const formKey: InjectionKey<FormState> = Symbol('assent input form')

export function provideForm(state: FormState): void {
  provide(formKey, state)
}

/** The form around a field. */
export function useForm(): FormState {
  const form = inject(formKey)
  if (!form) throw new Error('A field belongs into a form.')
  return form
}

/** What was typed into the items of a list goes with them; `places` are where they were, in order. */
export function rekeyItems(
  raw: Map<string, string>,
  path: FieldPath,
  places: readonly number[],
): void {
  const list = `${pathKey(path)}.`
  const before = [...raw].filter(([key]) => key.startsWith(list))
  for (const [key] of before) raw.delete(key)
  for (const [place, was] of places.entries()) {
    const item = `${list}${was}`
    for (const [key, text] of before) {
      if (key === item || key.startsWith(`${item}.`)) {
        raw.set(`${list}${place}${key.slice(item.length)}`, text)
      }
    }
  }
}

/** The value that a JSON text says, or why it says none. */
export function parseJson(text: string): { value?: unknown; problem?: string } {
  try {
    const value: unknown = JSON.parse(text)
    return { value }
  } catch (error) {
    return { problem: error instanceof Error ? error.message : String(error) }
  }
}
