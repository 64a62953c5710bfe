import { pathKey, type FieldPath } from './field-values.ts'

/** The element of the field at a place. */
export function fieldAt(root: HTMLElement | null, path: FieldPath): HTMLElement | null {
  return root?.querySelector<HTMLElement>(`[data-path="${CSS.escape(pathKey(path))}"]`) ?? null
}

/** Puts the cursor into the field at a place: where something is typed or chosen, else on a button. */
export function focusField(root: HTMLElement | null, path: FieldPath): void {
  const field = fieldAt(root, path)
  const controls = field?.querySelector<HTMLElement>('input, textarea, select')
  const target = controls ?? field?.querySelector<HTMLElement>('button')
  target?.focus()
}
