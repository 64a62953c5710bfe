import type { FinishReason, UIMessage, UIMessageChunk } from 'ai'
import { requestApproval, respondToApproval } from './apply-approval.ts'
import { appendContent } from './apply-content.ts'
import { setData } from './apply-data.ts'
import { LEDGER_CHUNK, noteLedgerStatus } from './apply-decision.ts'
import { continueText, startText } from './apply-text.ts'
import { appendInput, setInput } from './apply-tool-input.ts'
import { setOutput } from './apply-tool-output.ts'
import type { ChunkOf } from './chunk.ts'
import { mergeMetadata } from './merge-metadata.ts'
import { createMessageDraft } from './message-draft.ts'
import { createReducerState, isData } from './reducer-state.ts'

/** How a {@link MessageReducer} treats its message. */
export interface MessageReducerOptions {
  /**
   * The message keeps its id, whatever a `start` says: for a message that is continued, or that is
   * known by its id already. Default `false`: a `start` with another id begins another message,
   * which is empty.
   */
  keepId?: boolean
  /**
   * The stream repeats the response from its beginning: its first `start` empties the message.
   * Default `false`.
   */
  replay?: boolean
  /** Called with every data part, transient ones too. What it throws, `apply` throws. */
  onData?: (part: ChunkOf<`data-${string}`>) => void
}

/** Folds the chunks of a UI message stream into a message. */
export interface MessageReducer {
  /**
   * Applies the next chunk, at a cost that depends on nothing but the chunk; only `reset-step`, which
   * is rare, goes over the message. Chunks of unknown types change nothing, nor do `error`, `abort` and
   * `finish-step`, which are for the stream's owner.
   *
   * Throws an `EngineError` with code `stream_invalid` for a chunk that does not fit the message,
   * which then stays as it was.
   */
  apply(chunk: UIMessageChunk): void
  /**
   * The message so far. It never changes: later snapshots are other objects, which share every part
   * that is still the same. The same object as long as nothing changes.
   */
  snapshot(): UIMessage
  /** The reason of the last `finish` that gave one. */
  readonly finishReason: FinishReason | undefined
}

/**
 * Makes a reducer that goes on with a message, e.g. `{ id, role: 'assistant', parts: [] }`, which is
 * not changed itself. Calls whose input was still streaming in its last step stream on.
 *
 * After every chunk the message is the one that the AI SDK's `readUIMessageStream` makes, but for
 * what would let a stream lose a call or reopen a decision. An id names one call per step, with one
 * part and one input; an approval is asked for a complete and undecided call, and answered once, and
 * never by the stream where the engine asked; what Assent noted in `toolMetadata.assent` stays. A
 * streaming input that is not, or not yet, JSON is shown as far as it was. The differential test
 * lists and shows each of these.
 */
export function createMessageReducer(
  initial: UIMessage,
  { keepId = false, replay = false, onData }: MessageReducerOptions = {},
): MessageReducer {
  const draft = createMessageDraft(initial)
  let state = createReducerState(draft)
  let finishReason: FinishReason | undefined
  let isReplay = replay

  function start({ messageId, messageMetadata }: ChunkOf<'start'>): void {
    const { id } = draft.head
    const nextId = keepId ? id : (messageId ?? id)
    if (isReplay || nextId !== id) {
      draft.restart(nextId)
      state = createReducerState(draft)
      finishReason = undefined
    }
    isReplay = false
    addMetadata(messageMetadata)
  }

  function resetStep(): void {
    state.inputs.write()
    draft.dropStep()
    state = createReducerState(draft)
  }

  function addMetadata(metadata: unknown): void {
    const merged = mergeMetadata(draft.head.metadata, metadata)
    if (merged !== draft.head.metadata) draft.setMetadata(merged)
  }

  function apply(chunk: UIMessageChunk): void {
    switch (chunk.type) {
      case 'start':
        return start(chunk)
      case 'finish':
        finishReason = chunk.finishReason ?? finishReason
        return addMetadata(chunk.messageMetadata)
      case 'message-metadata':
        return addMetadata(chunk.messageMetadata)
      case 'start-step':
        return draft.startStep()
      case 'reset-step':
        return resetStep()
      case 'text-start':
      case 'reasoning-start':
        return startText(state, chunk)
      case 'text-delta':
      case 'reasoning-delta':
      case 'text-end':
      case 'reasoning-end':
        return continueText(state, chunk)
      case 'tool-input-delta':
        return appendInput(state, chunk)
      case 'tool-input-start':
      case 'tool-input-available':
      case 'tool-input-error':
        return setInput(state, chunk)
      case 'tool-approval-request':
        return requestApproval(state, chunk)
      case 'tool-approval-response':
        return respondToApproval(state, chunk)
      case 'tool-output-available':
      case 'tool-output-error':
      case 'tool-output-denied':
        return setOutput(state, chunk)
      default:
        if (!isData(chunk)) return appendContent(state, chunk)
        if (chunk.type === LEDGER_CHUNK) noteLedgerStatus(state, chunk)
        setData(state, chunk)
        return onData?.(chunk)
    }
  }

  return {
    apply,
    snapshot() {
      state.inputs.write()
      return draft.snapshot()
    },
    get finishReason() {
      return finishReason
    },
  }
}
