import { visibleJson } from '@assent/engine/reading'

/** A name or a command in which no character hides or moves others: those stand as `\uXXXX` and `\n`. */
export function visibleName(text: string): string {
  return Array.from(text, (character) =>
    character === '"' || character === '\\' ? character : visibleJson(character).slice(1, -1),
  ).join('')
}

/** Whether a name holds what cannot be seen as it is. */
export function hasHidden(name: string): boolean {
  return visibleName(name) !== name
}
