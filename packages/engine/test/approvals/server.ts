import type { UIMessage, UIMessageChunk } from 'ai'
import { EngineError } from '../../src/errors.ts'
import { isElsewhere, toolNameOf, type ToolCallPart } from '../../src/message/tool-part.ts'
import {
  approvalRequestChunks,
  responseChunks,
  stepChunks,
  textChunks,
  toolCallChunks,
  toolErrorChunks,
  toolOutputChunks,
} from '../../src/testing/index.ts'
import type { MessageTransport } from '../../src/transport/transport.ts'
import { callsIn, faultOf } from '../turns/history.ts'
import { CALL_IDS, TOOLS, type AnswerPlan, type CallPlan } from './plan.ts'
import { INPUTS } from './scopes.ts'
import { never } from '../crash/life.ts'
import type { Holder } from './holder.ts'
import type { Stage, StreamedCall } from './stage.ts'

const LAST_ANSWER: AnswerPlan = { calls: [], firstId: 0, failure: 'none' }

/** The mark of a call, which its part keeps wherever it goes. */
export function uidOf(part: ToolCallPart): string | undefined {
  const marks = 'callProviderMetadata' in part ? part.callProviderMetadata : undefined
  const uid = marks?.['play']?.['uid']
  return typeof uid === 'string' ? uid : undefined
}

/** A server that answers as planned, and runs the calls that are its own once it reads a yes. */
export class Server {
  readonly #stage: Stage
  readonly #onRequest: () => void
  readonly #calls: StreamedCall[] = []
  /** How often the person had retried when an approval was sent last. */
  readonly #sent = new Map<string, number>()
  #requests = 0

  /** @param onRequest called when a request is made, before anything is done about it */
  constructor(stage: Stage, onRequest: () => void) {
    this.#stage = stage
    this.#onRequest = onRequest
  }

  /** The call that was streamed last under an id, of those that no crash has taken away. */
  callOf(toolCallId: string): StreamedCall {
    const { calls } = this.#stage.model
    const call = this.#calls.findLast(
      (streamed) => streamed.toolCallId === toolCallId && calls.has(streamed.uid),
    )
    if (!call) throw new Error(`Nobody called ${toolCallId}.`)
    return call
  }

  /** The way from one engine to the server. */
  transportFor(holder: Holder): MessageTransport {
    return {
      sendMessages: ({ messages, abortSignal = new AbortController().signal }) =>
        this.#answer(holder, messages, abortSignal),
      reconnectToStream: () => Promise.resolve(null),
    }
  }

  async #answer(
    holder: Holder,
    messages: readonly UIMessage[],
    signal: AbortSignal,
  ): Promise<ReadableStream<UIMessageChunk>> {
    const { life } = holder
    if (life.isDead) return never()
    life.counts.request++
    if (life.strikes('request', 'before')) return never()
    this.#stage.acts(holder)
    const { gate, plan, watch } = this.#stage
    this.#stage.look()
    this.#onRequest()
    const answer = plan.answers[this.#requests++] ?? LAST_ANSWER
    watch.tell(`request ${this.#requests}, to be answered with ${answer.calls.length} calls`)
    this.#checkHistory(messages)
    // A request that is refused was not read.
    const results = answer.failure === 'status' ? [] : this.#runApproved(messages)
    if (life.strikes('request', 'after')) return never()
    await unless(signal, gate(`answer ${this.#requests}`))
    if (life.isDead) return never()
    if (answer.failure === 'status') throw new EngineError('http_status', 'HTTP 503')
    if (answer.failure === 'network') throw new TypeError('fetch failed')
    const chunks = this.#chunksOf(answer, results)
    return new ReadableStream(
      {
        pull: async (controller) => {
          await unless(signal, gate(`chunks of ${this.#requests}`))
          life.counts.chunk++
          if (life.isDead || life.strikes('chunk', 'before')) return never()
          for (const chunk of chunks.splice(0, 12)) controller.enqueue(chunk)
          if (chunks.length === 0) controller.close()
        },
      },
      { highWaterMark: 0 },
    )
  }

  #checkHistory(messages: readonly UIMessage[]): void {
    const marks = callsIn(messages).map((part) => Number(uidOf(part)?.slice(1)))
    if (marks.length === 0) return
    const fault = faultOf(messages)
    const isInOrder = marks.every((mark, index) => index === 0 || mark > (marks[index - 1] ?? 0))
    this.#stage.watch.hold(
      'I4 every call in a request has its one result, in order',
      fault === undefined && isInOrder,
      fault ?? marks,
    )
  }

  /** Runs what was approved and has no result yet; answers with the chunks that say so. */
  #runApproved(messages: readonly UIMessage[]): UIMessageChunk[] {
    return callsIn(messages).flatMap((part): UIMessageChunk[] => {
      const uid = uidOf(part)
      const { toolCallId } = part
      if (part.state !== 'approval-responded' || uid === undefined || !isElsewhere(part)) return []
      if (!part.approval.approved) return [{ type: 'tool-output-denied', toolCallId }]
      if (this.#isFirst(uid)) this.#stage.runs(uid, toolNameOf(part), part.input)
      if (this.#calls.find((call) => call.uid === uid)?.does === 'fail') {
        return toolErrorChunks(toolCallId, 'the server failed')
      }
      return toolOutputChunks(toolCallId, { uid })
    })
  }

  /** Whether an approval comes for the first time: when a person has it sent again, its tool has run. */
  #isFirst(uid: string): boolean {
    const { watch, retries } = this.#stage
    const before = this.#sent.get(uid)
    this.#sent.set(uid, retries())
    const isByHand = before === undefined || retries() > before
    watch.hold('I1 an approval is sent again only when a person retries', isByHand, uid)
    return before === undefined
  }

  #chunksOf({ calls, firstId, failure }: AnswerPlan, results: UIMessageChunk[]): UIMessageChunk[] {
    const ids = calls.map((_call, index) => CALL_IDS[(firstId + index) % CALL_IDS.length] ?? '')
    const [first, last] = [calls[0], calls.at(-1)]
    // The very same call once more would be no other one.
    const isTwice = failure === 'twice' && first !== last && first?.input !== last?.input
    if (isTwice) ids.splice(-1, 1, ids[0] ?? '')
    const chunks = calls.map((call, index) => this.#callChunks(call, ids[index] ?? '', isTwice))
    const text = calls.length === 0 ? textChunks('text', ['some ', 'words']) : []
    const finishReason = calls.length > 0 ? 'tool-calls' : 'stop'
    const [start, ...rest] = responseChunks({ finishReason }, stepChunks(text, ...chunks))
    const whole = start ? [start, ...results, ...rest] : []
    return failure === 'error'
      ? [...whole.slice(0, -2), { type: 'error', errorText: 'overloaded' }]
      : whole
  }

  #callChunks(plan: CallPlan, toolCallId: string, isTwice: boolean): UIMessageChunk[] {
    const { model, now, watch, plan: play } = this.#stage
    const { input, isInputStreamed, expiresIn, rule, again, does } = plan
    const uid = `#${this.#calls.length + 1}`
    const tool = play.tools[plan.tool % play.tools.length] ?? 'write'
    const runs = TOOLS.get(tool)?.runs
    const isGuarded = runs === 'server'
    const isDestroy = tool === 'wipe' || (isGuarded && plan.isDestroy)
    const expiresAt = isGuarded && expiresIn !== null ? now() + expiresIn : Infinity
    const isNever = runs === 'nobody' || isTwice
    this.#calls.push({ ...plan, tool, uid, toolCallId })
    model.called({ uid, tool, input, isGuarded, isDestroy, expiresAt, isNever })
    watch.tell(
      `${uid} ${tool}(${JSON.stringify(INPUTS[input])}) as ${JSON.stringify(toolCallId)}` +
        `${isTwice ? ', an id that comes twice' : ''}: the rules say ${rule}, then ${again}; it will ${does}`,
    )
    const call = toolCallChunks({
      toolCallId,
      toolName: tool,
      input: INPUTS[input],
      deltas: isInputStreamed ? 2 : false,
      providerMetadata: { play: { uid } },
    })
    if (!isGuarded) return call
    const approvalDescriptor = {
      ...(isDestroy ? { risk: 'destroy' } : {}),
      ...(expiresAt < Infinity ? { expiresAt } : {}),
    }
    const request = { toolCallId, approvalId: `approval ${uid}`, approvalDescriptor }
    return [...call, ...approvalRequestChunks(request)]
  }
}

/** Ends with the signal. */
async function unless(signal: AbortSignal, work: Promise<void>): Promise<void> {
  const aborted = new Promise<never>((_resolve, reject) => {
    const abort = () => reject(new DOMException('The request was aborted.', 'AbortError'))
    if (signal.aborted) abort()
    else signal.addEventListener('abort', abort)
  })
  return Promise.race([work, aborted])
}
