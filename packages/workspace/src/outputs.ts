import { randomBytes } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { readFile, unlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { boundOutput, type OutputBounds } from '@assent/engine/bounds'
import { boundLong, type Bounded } from './bound-long.ts'
import { createRedactor, type Redact } from '@assent/engine/redaction'
import { redactInSlices } from './redact-in-slices.ts'
import { WorkspaceRefusal } from './refusal.ts'
import { countText, safeCutFrom } from './safe-cut.ts'

/** What of an output is shown, and how the rest is kept. */
export interface OutputOptions {
  readonly maxLines: number
  readonly maxBytes: number
  /** Masks secrets before anything is shown or kept. */
  readonly redact: Redact
  /** Where whole outputs are kept; default: a folder of its own for temporary files. */
  readonly folder?: string
}

/** An output so far, of which the beginning may be gone. */
export interface Captured {
  readonly text: string
  /** What came before the text and is not kept. */
  readonly gone?: { readonly lines: number; readonly bytes: number }
  /** More may follow. */
  readonly isPartial?: boolean
  /** Whole lines of ours below it, which are always shown and are no part of it. */
  readonly footer?: string
}

export interface Outputs {
  /** An output fit for the model: without secrets, within the bounds. The whole of a cut one is kept. */
  fit(toolName: string, captured: Captured, keep: 'head' | 'tail'): Promise<string>
  /** The same without keeping what is cut: for what is shown while more may follow. */
  preview(toolName: string, captured: Captured, keep: 'head' | 'tail'): string
  /** A piece of a whole output, from a byte offset on. Throws a refusal when it is not there. */
  read(name: string | undefined, offset: number): Promise<string>
  /** Deletes what is kept. */
  dispose(): void
}

/** Bytes of all whole outputs that are kept; the oldest make room for new ones. */
const MOST_KEPT = 256_000_000
/** UTF-16 code units of the end that a preview looks at. */
const LEAST_LOOKED_AT = 65_536
const encoder = new TextEncoder()

/** Keeps outputs within their bounds, and the whole ones in files that nobody else may read. */
export function createOutputs({ maxLines, maxBytes, redact, folder }: OutputOptions): Outputs {
  const kept = new Map<string, number>()
  let place = folder
  let latest: string | undefined

  function bound(masked: string, { gone, footer = '' }: Captured, wanted: OutputBounds): Bounded {
    const below = countText(footer)
    const bounds = {
      ...wanted,
      // Both together are within the bounds, so that nobody cuts them again.
      maxLines: Math.max(0, wanted.maxLines - below.lines),
      maxBytes: Math.max(0, wanted.maxBytes - below.bytes),
    }
    const { output, whole } = boundLong(masked, gone, bounds)
    return { output: footer === '' ? output : `${output}${gap(output)}${footer}`, whole }
  }

  /** What a preview of the end needs of a long output: so each takes the same time. */
  function endOf(captured: Captured): Captured {
    const { text, gone = { lines: 0, bytes: 0 } } = captured
    const enough = Math.max(LEAST_LOOKED_AT, 2 * maxBytes)
    if (text.length <= 2 * enough) return captured
    const from = safeCutFrom(text, text.length - enough, redact) ?? text.length
    const { lines, bytes } = countText(text.slice(0, from))
    return {
      ...captured,
      text: text.slice(from),
      gone: { lines: gone.lines + lines, bytes: gone.bytes + bytes },
    }
  }

  async function keepWhole(name: string, whole: string): Promise<void> {
    place ??= ownFolder()
    const bytes = encoder.encode(whole)
    await writeFile(fileOf(name), bytes, { mode: 0o600, flag: 'wx' })
    kept.set(name, bytes.length)
    latest = name
    let total = [...kept.values()].reduce((sum, size) => sum + size, 0)
    for (const [oldest, size] of kept) {
      if (total <= MOST_KEPT || oldest === name) break
      kept.delete(oldest)
      total -= size
      await unlink(fileOf(oldest)).catch(() => {})
    }
  }

  const fileOf = (name: string) => join(place ?? '', `${name}.txt`)

  return {
    async fit(toolName, captured, keep) {
      const name = randomBytes(6).toString('hex')
      const masked = await redactInSlices(captured.text, toolName, redact)
      const { output, whole } = bound(masked, captured, { maxLines, maxBytes, keep, name })
      if (whole !== undefined) await keepWhole(name, whole)
      return output
    },
    preview(toolName, captured, keep) {
      const looked = keep === 'tail' ? endOf(captured) : captured
      const masked = redact(looked.text, { toolName, isPartial: looked.isPartial ?? false })
      return bound(masked, looked, { maxLines, maxBytes, keep }).output
    },
    async read(given, offset) {
      const name = given ?? latest
      if (name === undefined || !kept.has(name)) {
        const subject = name ?? 'output'
        throw new WorkspaceRefusal(
          'not_found',
          subject,
          name === undefined ? 'no output is kept.' : `no output ${name} is kept.`,
        )
      }
      return pieceOf(await readFile(fileOf(name)), offset, { maxLines, maxBytes }, name)
    },
    dispose() {
      if (folder === undefined && place !== undefined) removeFolder(place)
      else for (const name of kept.keys()) rmSync(fileOf(name), { force: true })
      kept.clear()
      place = folder
    },
  }
}

/** Folders for temporary files that are to go with this process. */
const ownFolders = new Set<string>()
let isWatching = false

function ownFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'assent-outputs-'))
  if (!isWatching) process.once('exit', () => ownFolders.forEach(removeFolder))
  isWatching = true
  ownFolders.add(folder)
  return folder
}

function removeFolder(folder: string): void {
  rmSync(folder, { recursive: true, force: true })
  ownFolders.delete(folder)
}

/** What is shown of a whole output from an offset on, and where to go on. */
export function pieceOf(
  whole: Uint8Array,
  offset: number,
  bounds: Pick<OutputBounds, 'maxLines' | 'maxBytes'>,
  name: string,
): string {
  const total = whole.length
  if (offset > total) {
    const message = `output ${name} has ${total} bytes; nothing is at offset ${offset}.`
    throw new WorkspaceRefusal('invalid', name, message)
  }
  let start = offset
  while (start > 0 && ((whole[start] ?? 0) & 0xc0) === 0x80) start--
  const rest = new TextDecoder('utf-8', { ignoreBOM: true }).decode(whole.subarray(start))
  const { cut } = boundOutput(rest, { ...bounds, keep: 'head' })
  if (!cut) return start === 0 ? rest : `${rest}${gap(rest)}${noticeOf(start, total, total, name)}`
  let end = start + cut.shownBytes
  if (end === start) {
    // What is seen as one character is longer than a piece: it comes in several.
    end = Math.min(total, start + bounds.maxBytes)
    while (end > start && ((whole[end] ?? 0) & 0xc0) === 0x80) end--
  }
  const text = new TextDecoder('utf-8', { ignoreBOM: true }).decode(whole.subarray(start, end))
  return `${text}${gap(text)}${noticeOf(start, end, total, name)}`
}

const gap = (text: string) => (text === '' || text.endsWith('\n') ? '' : '\n')

function noticeOf(from: number, to: number, total: number, name: string): string {
  const next =
    to < total ? ` Go on with readToolOutput from byte offset ${to} of output ${name}.` : ''
  return `[Output cut: the bytes ${from} to ${to} of ${total} are shown.${next}]`
}

/** Masks by the app's own rule, else by the patterns and names of the engine and by known values. */
export function chooseRedact(
  redact: Redact | false | undefined,
  knownValues: readonly string[],
): Redact {
  if (redact === false) return (text) => text
  return redact ?? createRedactor({ knownValues })
}
