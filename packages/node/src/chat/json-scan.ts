const QUOTE = 0x22
const BACKSLASH = 0x5c
const COMMA = 0x2c
const OPEN_LIST = 0x5b
const CLOSE_LIST = 0x5d
const OPEN_OBJECT = 0x7b
const CLOSE_OBJECT = 0x7d

/** An escaped character in a string takes as long to parse as this part of a value. */
const ESCAPE_COST = 1 / 16

/** What a JSON text may be made of. */
export interface JsonBounds {
  readonly maxDepth: number
  /** Of members and items; sixteen escaped characters in strings count as one. */
  readonly maxValues: number
}

/**
 * Looks at a JSON text as its bytes come, and says which bound it breaks: before it is parsed, as
 * parsing many small values, or deep ones, in one go keeps everybody else waiting.
 */
export function createJsonScan({ maxDepth, maxValues }: JsonBounds) {
  let isInString = false
  let isEscaped = false
  let depth = 0
  let values = 0

  return {
    /** Takes the next bytes; `undefined` as long as no bound is broken. */
    take(chunk: Uint8Array): 'depth' | 'values' | undefined {
      for (const byte of chunk) {
        if (isInString) {
          if (isEscaped) isEscaped = false
          else if (byte === BACKSLASH) {
            isEscaped = true
            values += ESCAPE_COST
          } else if (byte === QUOTE) isInString = false
          if (values > maxValues) return 'values'
          continue
        }
        switch (byte) {
          case QUOTE:
            isInString = true
            break
          case OPEN_LIST:
          case OPEN_OBJECT:
            depth += 1
            values += 1
            break
          case CLOSE_LIST:
          case CLOSE_OBJECT:
            depth -= 1
            break
          case COMMA:
            values += 1
        }
        if (depth > maxDepth) return 'depth'
        if (values > maxValues) return 'values'
      }
      return undefined
    },
  }
}
