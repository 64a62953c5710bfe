import { inject, provide } from 'vue'
import type { Component, ComputedRef, InjectionKey, ShallowReactive } from 'vue'

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

/** The value that a JSON text says, or why it says none. */
export function parseJson(text: string): { value?: unknown; problem?: string } {
  try {
    const value: unknown = JSON.parse(text)
    return { value }
  } catch (error) {
    return { problem: error instanceof Error ? error.message : String(error) }
  }
}
