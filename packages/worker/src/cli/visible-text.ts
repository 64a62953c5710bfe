import { splitVisible } from '@assent/engine/reading'

/**
 * A text for a terminal: controls, escapes and characters that change the order of others are named
 * in their place, and hosts that are not what they look like are told. Lines stay lines.
 */
export function visibleText(text: string): string {
  return splitVisible(text)
    .map((piece) => {
      if (typeof piece === 'string') return piece.replaceAll('\t', '  ')
      return 'ascii' in piece ? ` ‹${piece.ascii}›` : `‹${piece.label}›`
    })
    .join('')
}

/** The same in one line. */
export function visibleLine(text: string): string {
  return visibleText(text).replaceAll(/\s*\n\s*/g, ' ⏎ ')
}
