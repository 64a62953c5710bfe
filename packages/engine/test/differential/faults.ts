import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import type { createMessageReducer } from '../../src/message/message-reducer.ts'

/** A mistake, made in a copy of the sources. */
export interface Fault {
  readonly name: string
  /** In `src/message`. */
  readonly file: string
  /** Text that the file has exactly once. */
  readonly right: string
  readonly wrong: string
}

export const FAULTS: readonly Fault[] = [
  {
    name: 'a delta goes to the text that was opened last, not to the one it names',
    file: 'apply-text.ts',
    right: 'texts.get(key)',
    wrong: '[...texts.values()].at(-1)',
  },
  {
    name: 'a text stays streaming after its end',
    file: 'apply-text.ts',
    right: "part.state = 'done'",
    wrong: '',
  },
  {
    name: 'an id that is used again in another step names the old call',
    file: 'apply-tool-input.ts',
    right: ' || slot.index < draft.stepStart',
    wrong: '',
  },
  {
    name: 'a repair does not change the tool',
    file: 'apply-tool-input.ts',
    right: "type: isDynamic ? 'dynamic-tool' : `tool-${toolName}`,",
    wrong: '',
  },
  {
    name: 'a complete input leaves its raw text behind',
    file: 'tool-call-draft.ts',
    right: 'rawInput: undefined,',
    wrong: '',
  },
  {
    name: 'a rejected input of a static tool makes it dynamic',
    file: 'apply-tool-input.ts',
    right: "isResult && known ? known.part.type === 'dynamic-tool' : dynamic",
    wrong: 'dynamic',
  },
  {
    name: 'input that is plain text is read as JSON',
    file: 'tool-inputs.ts',
    right: "encoding === 'text' ? undefined : createPartialJson()",
    wrong: 'createPartialJson()',
  },
  {
    name: 'the input that was there before a reload is forgotten',
    file: 'tool-inputs.ts',
    right: 'json?.feed(text)',
    wrong: '',
  },
  {
    name: 'an escape in a streaming input is shown as it is written',
    file: 'partial-json.ts',
    right: 'string += JSON.parse(`"${special}"`)',
    wrong: 'string += special',
  },
  {
    name: 'an input that was handed out grows with the next delta',
    file: 'partial-json.ts',
    right: 'return [...items, ...last]',
    wrong: 'return (items.push(...last), items)',
  },
  {
    name: 'a last output stays preliminary',
    file: 'apply-tool-output.ts',
    right: "'output-available', output, preliminary }",
    wrong: "'output-available', output, preliminary: preliminary ?? part.preliminary }",
  },
  {
    name: 'an output of an earlier step is not found',
    file: 'tool-call-draft.ts',
    right: 'if (slot) return slot',
    wrong: 'if (slot && slot.index >= draft.stepStart) return slot',
  },
  {
    name: 'a decision loses what its request said',
    file: 'apply-approval.ts',
    right: '{ ...part.approval, approved,',
    wrong: '{ id: approvalId, approved,',
  },
  {
    name: 'an automatic approval looks like a question to a person',
    file: 'apply-approval.ts',
    right: 'isAutomatic: isAutomatic || undefined,',
    wrong: '',
  },
  {
    name: 'data of another type with the same id is overwritten',
    file: 'reducer-state.ts',
    right: '? `${type.length}:${type}${id}`',
    wrong: '? id',
  },
  {
    name: 'transient data is kept',
    file: 'apply-data.ts',
    right: 'if (chunk.transient) return',
    wrong: '',
  },
  {
    name: 'a step that is reset takes its own beginning with it',
    file: 'message-draft.ts',
    right: 'parts.length = stepStart',
    wrong: 'parts.length = Math.max(0, stepStart - 1)',
  },
  {
    name: 'calls of a step that was reset are still found',
    file: 'message-reducer.ts',
    right: 'draft.dropStep()\n    state = createReducerState(draft)',
    wrong: 'draft.dropStep()',
  },
  {
    name: 'metadata is replaced where it should be merged',
    file: 'merge-metadata.ts',
    right: 'isPlainObject(current) && isPlainObject(value)',
    wrong: 'false',
  },
  {
    name: 'a part that was handed out is changed in place',
    file: 'message-draft.ts',
    right: 'if (slot.age !== snapshots)',
    wrong: 'if (slot.age > snapshots)',
  },
]

/** Loads the reducer of a copy of the sources that has the fault. */
export async function loadFaulty(fault: Fault): Promise<typeof createMessageReducer> {
  const sources = join(import.meta.dirname, '../../src')
  const copy = mkdtempSync(join(tmpdir(), 'assent-fault-'))
  try {
    for (const name of ['message', 'errors.ts', 'development.ts']) {
      cpSync(join(sources, name), join(copy, name), { recursive: true })
    }
    const file = join(copy, 'message', fault.file)
    const [before, after, ...more] = readFileSync(file, 'utf8').split(fault.right)
    if (after === undefined || more.length > 0) {
      throw new Error(`"${fault.right}" is not exactly once in ${fault.file}.`)
    }
    writeFileSync(file, before + fault.wrong + after)
    const module: { createMessageReducer: typeof createMessageReducer } = await import(
      /* @vite-ignore */ pathToFileURL(join(copy, 'message/message-reducer.ts')).href
    )
    return module.createMessageReducer
  } finally {
    rmSync(copy, { recursive: true })
  }
}
