import { setImmediate as nextTurn } from 'node:timers/promises'
import { maskedPieces, SLICE_SIZES, type Redact, type RedactPlace } from '@assent/engine/redaction'
import { UnnotedCallError } from '../audit/unnoted-call.ts'
import { isPlainObject } from '../own-copy.ts'
import { isAsyncIterable } from './wrap-execute.ts'

/** Masks the secrets in what tools come to. */
export interface OutputMask {
  /** A text of the tool or about it. */
  text(toolName: string, text: string): string
  /** What a run answers, without its secrets: outputs, those on the way, and what it fails with. */
  run(toolName: string, execute: () => unknown): unknown
}

/** Stands in the place of what could not be made safe. */
const WITHHELD =
  'The output is withheld: looking for secrets in it failed. The call may have taken effect.'

/** What a text costs beside its length, in characters. */
const EACH_TEXT = 200

/** @param redact `undefined` masks nothing */
export function createOutputMask(
  redact: Redact | undefined,
  onError: (error: unknown) => void,
): OutputMask {
  if (!redact) return { text: (_, text) => text, run: (_, execute) => execute() }
  const maskText = (text: string, context: Parameters<Redact>[1]): string => {
    const { isPartial } = context
    const shown = isPartial && redact.holdsBack !== true ? withoutLastWord(text) : text
    const masked: unknown = redact(shown, context)
    if (typeof masked === 'string') return masked
    throw new TypeError(`redact must answer with a text, not with ${typeof masked}.`)
  }
  const safely = (toolName: string, text: string): string => {
    try {
      return maskText(text, { toolName, isPartial: false })
    } catch (error) {
      onError(error)
      return WITHHELD
    }
  }

  /** A long text is masked slice by slice. */
  async function maskLong(text: string, context: Parameters<Redact>[1]): Promise<string> {
    let masked = ''
    const mask = (part: string, isLast: boolean) =>
      maskText(part, { ...context, isPartial: isLast && context.isPartial })
    for await (const piece of maskedPieces(text, { mask, pause: () => nextTurn() })) {
      masked += piece.masked
    }
    return masked
  }

  let inThisTurn = 0
  /** Lets others run before a text, where the texts of this turn are as much as one slice. */
  async function inTurn({ length }: string): Promise<void> {
    inThisTurn += length + EACH_TEXT
    if (inThisTurn < SLICE_SIZES.slice) return
    inThisTurn = length
    await nextTurn()
  }

  async function maskValue(
    value: unknown,
    context: {
      readonly toolName: string
      readonly isPartial: boolean
      readonly key?: string
      readonly within?: RedactPlace
    },
  ): Promise<unknown> {
    if (typeof value === 'string') {
      if (value.length > SLICE_SIZES.slice + SLICE_SIZES.ahead) return maskLong(value, context)
      await inTurn(value)
      return maskText(value, context)
    }
    if (typeof value !== 'object' || value === null) return value
    // Bytes are no text, and no model reads them as one.
    if (ArrayBuffer.isView(value) || value instanceof ArrayBuffer) return value
    if (Array.isArray(value)) {
      const items: unknown[] = []
      for (const item of value) items.push(await maskValue(item, context))
      return items
    }
    if (!isPlainObject(value) || typeof value['toJSON'] === 'function') {
      return maskValue(JSON.parse(JSON.stringify(value) ?? 'null'), context)
    }
    const { toolName, isPartial, key: own, within: outer } = context
    const within = { fields: value, key: own, within: outer }
    const fields = new Map<string, unknown>()
    for (const [key, field] of Object.entries(value)) {
      await inTurn(key)
      const name = maskText(key, { toolName, isPartial: false })
      // Two secrets may have become the same text.
      const own = fields.has(name) ? `${name} ${fields.size + 1}` : name
      fields.set(own, await maskValue(field, { toolName, isPartial, key, within }))
    }
    return Object.fromEntries(fields)
  }

  async function maskOutput(toolName: string, output: unknown, isPartial: boolean) {
    try {
      return await maskValue(output, { toolName, isPartial })
    } catch (error) {
      onError(error)
      throw new Error(WITHHELD, { cause: error })
    }
  }

  async function maskError(toolName: string, error: unknown): Promise<unknown> {
    // Words of our own.
    if (error instanceof UnnotedCallError) return error
    if (!(error instanceof Error)) return maskOutput(toolName, error, false)
    const told = String(error)
    if (safely(toolName, told) === told && safely(toolName, error.message) === error.message) {
      return error
    }
    const masked = new Error(safely(toolName, error.message))
    masked.name = safely(toolName, error.name)
    return masked
  }

  async function whole(toolName: string, result: unknown): Promise<unknown> {
    let output: unknown
    try {
      output = await result
    } catch (error) {
      throw await maskError(toolName, error)
    }
    return maskOutput(toolName, output, false)
  }

  async function* each(toolName: string, outputs: AsyncIterable<unknown>): AsyncGenerator<unknown> {
    let last: unknown
    let shown: unknown
    let hasAny = false
    try {
      for await (last of outputs) {
        hasAny = true
        shown = await maskOutput(toolName, last, true)
        yield shown
      }
    } catch (error) {
      throw await maskError(toolName, error)
    }
    // The last one is all there is: what was kept back as the beginning of a secret is none.
    const output = hasAny ? await maskOutput(toolName, last, false) : undefined
    if (hasAny && JSON.stringify(output) !== JSON.stringify(shown)) yield output
  }

  return {
    text: safely,
    run(toolName, execute) {
      let result: unknown
      try {
        result = execute()
      } catch (error) {
        return whole(toolName, Promise.reject(error))
      }
      return isAsyncIterable(result) ? each(toolName, result) : whole(toolName, result)
    },
  }
}

/** A secret that is cut in the middle cannot be told from other text, so the last word waits. */
function withoutLastWord(text: string): string {
  let { length } = text
  while (length > 0 && !/\s/.test(text.charAt(length - 1))) length--
  return text.slice(0, length)
}
