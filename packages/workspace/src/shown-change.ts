import type { ToolPreview } from '@assent/engine'
import { checkStraight, clearWriting } from './clear-path.ts'
import { WorkspaceRefusal } from './refusal.ts'
import { moved } from './open-file.ts'
import { checkWritable, replaceFile } from './replace-file.ts'
import type { Located } from './roots.ts'
import { withLookAlike } from './shell/look-alikes.ts'
import { LastUsed } from './shell/system/last-used.ts'
import { NOT_KNOWN } from './shown-calls.ts'
import { hashOf, readTextIfAny, refuseMasks, type TextFile } from './text-file.ts'
import {
  ALLOWED,
  type Clearance,
  type ClearedCall,
  type QuestionedCall,
  type ToolKit,
} from './tool-kit.ts'
import { noteWrite } from './unfinished-writes.ts'
import { visibleName } from './visible-name.ts'
import { withWriteLock } from './write-lock.ts'

/** Calls that were decided and may start at the same time. */
const MOST_DECIDED = 10_000

export interface PlannedFile {
  /** All that the file will hold. */
  readonly after: string
  /** Places at which it changes. */
  readonly places: number
}

/** A change of one file that a person is asked about. */
export interface ShownChange<INPUT> {
  clear(input: INPUT, call: QuestionedCall): Promise<Clearance>
  preview(input: INPUT): Promise<ToolPreview>
  /** Writes it, when the file is what it was when the person was asked. Throws a refusal. */
  write(input: INPUT, call: ClearedCall): Promise<WrittenFile>
}

export interface WrittenFile {
  readonly places: number
  /** As the tools show it. */
  readonly name: string
  readonly bytes: number
  /** It was there before. */
  readonly isReplaced: boolean
}

/**
 * Binds a yes to the file as it was when the person was asked, and to the whole input, by the id of the call. What would
 * be refused is refused before anybody is asked. A person may write other words into the file, not into another one. Of a
 * file that may hold secrets nothing is told before a yes.
 *
 * @param plan what becomes of the file; throws a refusal
 * @param wordsOf all of an input that decides what is written
 */
export function shownChange<INPUT extends { readonly path: string }>(
  kit: ToolKit,
  plan: (input: INPUT, before: TextFile | undefined) => PlannedFile,
  wordsOf: (input: INPUT) => readonly unknown[],
): ShownChange<INPUT> {
  /** Of calls with a yes the input as a person has left it. */
  const decided = new LastUsed<string>(MOST_DECIDED)
  const keyOf = ({ path }: INPUT, toolCallId: string) => JSON.stringify(['file', path, toolCallId])

  const inputOf = (input: INPUT) => hashOf(JSON.stringify(wordsOf(input)))

  const read = (located: Located) => readTextIfAny(located, kit.maxFileBytes)

  function planned(input: INPUT, located: Located, before: TextFile | undefined): PlannedFile {
    checkWritable(located, before?.mode)
    const file = plan(input, before)
    refuseMasks(input.path, before?.text ?? '', file.after)
    const size = Buffer.byteLength(file.after)
    if (size > kit.maxFileBytes) {
      const message = `${input.path} would have ${size} bytes; at most ${kit.maxFileBytes} are written.`
      throw new WorkspaceRefusal('too_large', input.path, message)
    }
    return file
  }

  return {
    async clear(input, { toolCallId, isDecided, isStarting }) {
      const clearance = await clearWriting(kit, input.path)
      if (clearance.verdict !== 'ask') return clearance
      const located = await kit.roots.locate(input.path)
      if (isDecided && !isStarting) decided.set(keyOf(input, toolCallId), inputOf(input))
      try {
        const before = await read(located)
        // After a yes nothing is shown any more.
        if (!isDecided && !isStarting) {
          const shown = `${stateOf(located, before)} ${inputOf(input)}`
          kit.shown.note(keyOf(input, toolCallId), shown)
        }
        const { after } = planned(input, located, before)
        if (after === before?.text && !located.isSensitive) return asItIs(input.path)
      } catch (error) {
        if (!(error instanceof WorkspaceRefusal)) throw error
        if (!located.isSensitive) return ALLOWED
      }
      return clearance
    },

    async preview(input) {
      const located = await kit.roots.locate(input.path)
      const before = await read(located)
      const { after } = planned(input, located, before)
      const file = { path: visibleName(kit.roots.show(located.real)), after }
      return { kind: 'diff', files: [before ? { ...file, before: before.text } : file] }
    },

    async write(input, { toolCallId, clearance, abortSignal: signal }) {
      const { path } = input
      const key = keyOf(input, toolCallId)
      const [agreed, shownInput] = kit.shown.take(key)?.split(' ') ?? []
      const agreedInputs = [shownInput, decided.get(key)]
      decided.delete(key)
      const isAsked = clearance.verdict === 'ask'
      if (isAsked && agreed === undefined) throw new WorkspaceRefusal('changed', path, NOT_KNOWN)
      if (isAsked && !agreedInputs.includes(inputOf(input))) {
        const message = `nobody was asked about writing this to ${path}, but about something else. Call again.`
        throw new WorkspaceRefusal('changed', path, message)
      }
      const straight = await kit.places.locate(path)
      checkStraight(kit.roots, straight)
      const { real } = straight
      return withWriteLock([real], { subject: path, signal }, async () => {
        const located = await kit.roots.locate(path)
        if (located.real !== real) throw moved(path)
        const before = await read(located)
        if (isAsked && stateOf(located, before) !== agreed) throw changed(path)
        kit.seen.check(located, before?.hash)
        const { after, places } = planned(input, located, before)
        // It was to be refused without a question, and would not be any more.
        if (!isAsked) throw changed(path)
        const bytes = new TextEncoder().encode(after)
        const hash = hashOf(bytes)
        await noteWrite(path, [{ kind: 'file', path: real, hash }], () =>
          replaceFile(located, bytes, before?.mode),
        )
        kit.seen.note(real, hash)
        const name = visibleName(kit.roots.show(real))
        return { name, places, bytes: bytes.length, isReplaced: before !== undefined }
      })
    },
  }
}

function asItIs(path: string): Clearance {
  const reason = `${visibleName(path)} stays as it is: it holds exactly this.`
  return { verdict: 'ask', reason: withLookAlike(reason) }
}

/** Which file it is, and what it holds. */
function stateOf({ real }: Located, before: TextFile | undefined): string {
  return hashOf(JSON.stringify([real, before?.hash]))
}

function changed(path: string): WorkspaceRefusal {
  const message = `${path} has changed since a person was asked about this. Read it again.`
  return new WorkspaceRefusal('changed', path, message)
}
