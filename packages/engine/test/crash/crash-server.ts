import type { UIMessage, UIMessageChunk } from 'ai'
import { textOf } from '../../src/message/message-input.ts'
import { toolCallsOf } from '../../src/message/tool-calls.ts'
import { isElsewhere } from '../../src/message/tool-part.ts'
import {
  approvalRequestChunks,
  toolCallChunks,
  type RecordedRequest,
  type ScriptedAnswer,
} from '../../src/testing/index.ts'
import type { Ledger } from './ledger.ts'
import { never, type Life } from './life.ts'
import { baseOf, inputOf, outputOf, type ScriptedCall, type TurnScript } from './turn-script.ts'

/** What the first message of the person says: it opens the turn of the script. */
export const OPENING = 'go'

/** Longer than the time between two writes of what streams. */
const PAUSE_MS = 700

/** What the model says to a message in the end. */
export function finalText(text: string): string {
  return `answer to ${text}`
}

/**
 * The model and its server, which no crash of the app touches. The model makes the calls of the
 * script that its history does not have, then says its text; the server runs what was approved of
 * its own tools, once, and gives the output as often as it is asked.
 */
export class CrashServer {
  /** How often the model has made each call. */
  readonly #made = new Map<string, number>()
  readonly #turn: TurnScript
  readonly #ledger: Ledger
  readonly #isFirst: (toolCallId: string) => boolean

  /** @param isFirst told of each approval that arrives; answers whether it is the first time */
  constructor(turn: TurnScript, ledger: Ledger, isFirst: (toolCallId: string) => boolean) {
    this.#turn = turn
    this.#ledger = ledger
    this.#isFirst = isFirst
  }

  /** Answers the requests of one life. */
  answers(life: Life, onRequest: (messages: readonly UIMessage[]) => void): ScriptedAnswer {
    return async ({ messages }: RecordedRequest) => {
      if (life.isDead) return never()
      life.counts.request++
      if (life.strikes('request', 'before')) return never()
      onRequest(messages)
      const chunks = [START, ...this.#runApproved(messages), ...this.#say(messages)]
      if (life.strikes('request', 'after')) return never()
      return paced(life, chunks)
    }
  }

  /** The tools of the server run when the history ends with an answer to their requests. */
  #runApproved(messages: readonly UIMessage[]): UIMessageChunk[] {
    const last = messages.at(-1)
    if (last?.role !== 'assistant') return []
    return toolCallsOf(last).flatMap(({ part, toolCallId }): UIMessageChunk[] => {
      if (part.state !== 'approval-responded' || !isElsewhere(part)) return []
      if (!part.approval.approved) return [{ type: 'tool-output-denied', toolCallId }]
      if (this.#isFirst(toolCallId)) this.#ledger.effect(toolCallId, 'deploy', part.input)
      const output = outputOf('deploy', inputOf(baseOf(toolCallId)))
      return [{ type: 'tool-output-available', toolCallId, output }]
    })
  }

  #say(messages: readonly UIMessage[]): (UIMessageChunk | 'pause')[] {
    const opening = messages.findLastIndex(({ role }) => role === 'user')
    const asked = textOf(messages[opening] ?? { id: '', role: 'user', parts: [] })
    const calls = messages.slice(opening).flatMap((message) => toolCallsOf(message))
    const made = new Set(calls.map(({ toolCallId }) => baseOf(toolCallId)))
    const steps = asked === OPENING ? this.#turn.steps : []
    const missing = steps
      .map((step) => step.filter(({ id }) => !made.has(id)))
      .find((step) => step.length > 0)
    if (missing) {
      const chunks = missing.flatMap((call) => this.#call(call))
      return [BEGIN, ...chunks.toSpliced(1, 0, 'pause' as const), ...finish('tool-calls')]
    }
    const [first = '', ...rest] = finalText(asked).split(' ')
    return [
      BEGIN,
      { type: 'text-start', id: 'text' },
      { type: 'text-delta', id: 'text', delta: first },
      'pause',
      { type: 'text-delta', id: 'text', delta: [' ', rest.join(' ')].join('') },
      { type: 'text-end', id: 'text' },
      ...finish('stop'),
    ]
  }

  #call({ id, tool }: ScriptedCall): (UIMessageChunk | 'pause')[] {
    const count = (this.#made.get(id) ?? 0) + 1
    this.#made.set(id, count)
    const toolCallId = count === 1 ? id : `${id}#${count}`
    const input = inputOf(id)
    const chunks = toolCallChunks({ toolCallId, toolName: tool, input })
    return tool === 'deploy' ? [...chunks, ...approvalRequestChunks({ toolCallId })] : chunks
  }
}

const START: UIMessageChunk = { type: 'start' }
const BEGIN: UIMessageChunk = { type: 'start-step' }

function finish(finishReason: 'stop' | 'tool-calls'): UIMessageChunk[] {
  return [{ type: 'finish-step' }, { type: 'finish', finishReason }]
}

async function* paced(
  life: Life,
  chunks: readonly (UIMessageChunk | 'pause')[],
): AsyncGenerator<UIMessageChunk> {
  for (const chunk of chunks) {
    if (chunk === 'pause') await new Promise((resolve) => setTimeout(resolve, PAUSE_MS))
    else {
      life.counts.chunk++
      if (life.isDead || life.strikes('chunk', 'before')) await never()
      yield chunk
    }
  }
}
