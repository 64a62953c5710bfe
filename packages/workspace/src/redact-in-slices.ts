import { setImmediate } from 'node:timers/promises'
import { maskedPieces, type Redact, type SliceSizes } from '@assent/engine/redaction'

/** How a tool's text is masked slice by slice: others may run between. */
export function sliced(toolName: string, redact: Redact, sizes?: SliceSizes) {
  return {
    mask: (part: string) => redact(part, { toolName, isPartial: false }),
    pause: () => setImmediate(),
    ...(sizes && { sizes }),
  }
}

/** Masks a text as in one piece, without holding the process for long. */
export async function redactInSlices(
  text: string,
  toolName: string,
  redact: Redact,
  sizes?: SliceSizes,
): Promise<string> {
  let masked = ''
  for await (const piece of maskedPieces(text, sliced(toolName, redact, sizes))) {
    masked += piece.masked
  }
  return masked
}
