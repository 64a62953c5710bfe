import { pathKey, type FieldPath } from './field-values.ts'

/** Puts the cursor into the field at a place: where something is typed or chosen, else on a button. */
export function focusField(root: HTMLElement | null, path: FieldPath): void {
  const field = root?.querySelector(`[data-path="${CSS.escape(pathKey(path))}"]`)
  const controls = field?.querySelector<HTMLElement>('input, textarea, select')
  const target = controls ?? field?.querySelector<HTMLElement>('button')
  target?.focus()
}
