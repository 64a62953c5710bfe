import type { UIMessage, UIMessageChunk } from 'ai'
import { EngineError } from '../../src/errors.ts'
import {
  approvalRequestChunks,
  responseChunks,
  stepChunks,
  textChunks,
  toolCallChunks,
  toolOutputChunks,
} from '../../src/testing/index.ts'
import type { MessageTransport } from '../../src/transport/transport.ts'
import { callsIn, faultOf, uidOf } from './history.ts'
import type { AnswerPlan, CallPlan } from './plan.ts'
import type { Stage } from './stage.ts'
import type { CallFacts } from './turn-model.ts'

const CALL_IDS = ['call_0', 'call_1', '__proto__']
const TOOL_NAMES: Readonly<Record<CallPlan['where'], string>> = {
  here: 'act',
  nowhere: 'nothing',
  server: 'deploy',
  inline: 'look-up',
  provider: 'mcp.search',
}
const LAST_ANSWER: AnswerPlan = {
  calls: [],
  firstId: 0,
  hasText: true,
  failure: 'none',
  failAt: 0,
  namesMessage: false,
}

/** A server that answers as planned, and runs the calls that are its own once it reads a yes. */
export class FakeServer {
  /** What each request carried, as JSON: nothing changes it later. */
  readonly requests: string[] = []
  readonly #plans = new Map<string, CallPlan>()
  readonly #stage: Stage
  readonly #onRequest: () => void
  /** How often the person had retried when an approval was sent last. */
  readonly #sent = new Map<string, number>()
  #callCount = 0

  /** @param onRequest called when a request is made, before anything is done about it */
  constructor(stage: Stage, onRequest: () => void) {
    this.#stage = stage
    this.#onRequest = onRequest
  }

  /** What was planned for a call that it has streamed. */
  planOf(uid: string): CallPlan {
    const plan = this.#plans.get(uid)
    if (!plan) throw new Error(`Nobody called ${uid}.`)
    return plan
  }

  readonly transport: MessageTransport = {
    sendMessages: ({ messages, abortSignal = new AbortController().signal }) =>
      this.#answer(messages, abortSignal),
    reconnectToStream: () => Promise.resolve(null),
  }

  async #answer(
    messages: readonly UIMessage[],
    signal: AbortSignal,
  ): Promise<ReadableStream<UIMessageChunk>> {
    const { plan, rules, gate } = this.#stage
    this.#stage.look()
    this.#onRequest()
    const answer = plan.answers[this.requests.length] ?? LAST_ANSWER
    this.requests.push(JSON.stringify(messages))
    const fault = faultOf(messages)
    rules.hold('every request carries a valid history', fault === undefined, fault)
    rules.hold('no tool starts once its turn is over', !signal.aborted, 'a request')
    // A request that is refused was not read.
    const ran = this.#runApproved(answer.failure === 'status' ? [] : messages)
    await this.#wait(gate(`answer ${this.requests.length}`), signal)
    if (answer.failure === 'status') throw new EngineError('http_status', 'HTTP 503')
    if (answer.failure === 'network') throw new TypeError('fetch failed')
    return this.#stream(this.#chunksOf(answer, ran, signal), answer, signal)
  }

  /** Runs what was approved and has no result yet; answers with the chunks that say so. */
  #runApproved(messages: readonly UIMessage[]): {
    results: UIMessageChunk[]
    calls: UIMessageChunk[]
  } {
    const results: UIMessageChunk[] = []
    const calls: UIMessageChunk[] = []
    const known = callsIn(messages).map(({ toolCallId }) => toolCallId)
    for (const part of callsIn(messages)) {
      const uid = uidOf(part)
      if (part.state !== 'approval-responded' || uid === undefined) continue
      const { toolCallId, providerExecuted } = part
      const ranId = `ran ${uid}`
      if (providerExecuted && (known.includes(ranId) || !part.approval.approved)) continue
      if (part.approval.approved && this.#isFirst(uid)) this.#stage.model.ranElsewhere(uid)
      if (providerExecuted) {
        const call = { toolCallId: ranId, toolName: 'mcp.search', input: {}, dynamic: true }
        const output = { toolCallId: ranId, output: { ran: uid }, providerExecuted }
        calls.push(...toolCallChunks({ ...call, providerExecuted, deltas: false }))
        calls.push({ type: 'tool-output-available', ...output })
      } else if (part.approval.approved) {
        results.push(...toolOutputChunks(toolCallId, { uid }))
      } else {
        results.push({ type: 'tool-output-denied', toolCallId })
      }
    }
    return { results, calls }
  }

  /** Whether an approval comes for the first time: when a person has it sent again, its tool has run. */
  #isFirst(uid: string): boolean {
    const { rules, retries } = this.#stage
    const before = this.#sent.get(uid)
    this.#sent.set(uid, retries())
    const isByHand = before === undefined || retries() > before
    rules.hold('an approval is sent again only when a person retries', isByHand, uid)
    return before === undefined
  }

  #chunksOf(
    { calls, firstId, hasText, namesMessage }: AnswerPlan,
    ran: { results: UIMessageChunk[]; calls: UIMessageChunk[] },
    signal: AbortSignal,
  ): UIMessageChunk[] {
    const messageId = `answer ${this.requests.length}`
    const step = stepChunks(
      ran.calls,
      hasText || calls.length === 0 ? textChunks('text', ['some ', 'words']) : [],
      ...calls.map((call, index) => this.#callChunks(call, firstId + index, signal)),
    )
    const [start, ...rest] = responseChunks(
      {
        ...(namesMessage ? { messageId } : {}),
        finishReason: calls.length > 0 ? 'tool-calls' : 'stop',
      },
      step,
    )
    return start ? [start, ...ran.results, ...rest] : []
  }

  #callChunks(plan: CallPlan, id: number, signal: AbortSignal): UIMessageChunk[] {
    const { where, isInvalid, isInputStreamed } = plan
    // With an end of its own, so that no beginning of it is the mark of another call.
    const uid = `call ${++this.#callCount};`
    this.#plans.set(uid, plan)
    this.#stage.model.streamed({ ...factsOf(plan), uid, turn: signal })
    const toolCallId = CALL_IDS[id % CALL_IDS.length] ?? ''
    const isProvider = where === 'provider'
    const call = toolCallChunks({
      toolCallId,
      toolName: TOOL_NAMES[where],
      input: { uid, n: isInvalid ? 'none' : 1 },
      deltas: isInputStreamed ? 3 : false,
      ...(isProvider ? { providerExecuted: true, dynamic: true } : {}),
    })
    if (where === 'inline') return [...call, ...toolOutputChunks(toolCallId, { uid })]
    const isAsked = where === 'server' || isProvider
    return isAsked
      ? [...call, ...approvalRequestChunks({ toolCallId, approvalId: `approval ${uid}` })]
      : call
  }

  #stream(
    chunks: UIMessageChunk[],
    { failure, failAt }: AnswerPlan,
    signal: AbortSignal,
  ): ReadableStream<UIMessageChunk> {
    const { gate } = this.#stage
    const end = failure === 'none' ? chunks.length : Math.min(failAt, chunks.length - 1)
    const items = chunks.slice(0, end)
    if (failure === 'error') items.push({ type: 'error', errorText: 'overloaded' })
    if (failure === 'abort') items.push({ type: 'abort' })
    const label = `chunk of ${this.requests.length}`
    return new ReadableStream(
      {
        pull: async (controller) => {
          await this.#wait(gate(label), signal)
          // Several chunks at a time, as they come over a network.
          for (const chunk of items.splice(0, 3)) controller.enqueue(chunk)
          if (items.length > 0) return
          if (failure === 'cut') throw new Error('connection reset')
          controller.close()
        },
      },
      { highWaterMark: 0 },
    )
  }

  /** Ends with the signal, unless the server ignores that. */
  async #wait(work: Promise<void>, signal: AbortSignal): Promise<void> {
    if (this.#stage.plan.ignoresAbort) return work
    if (signal.aborted) throw abortError()
    const aborted = new Promise<never>((_resolve, reject) => {
      signal.addEventListener('abort', () => reject(abortError()))
    })
    return Promise.race([work, aborted])
  }
}

function factsOf({ where, rule, isInvalid }: CallPlan): Pick<CallFacts, 'where' | 'runs'> {
  if (where === 'server' || where === 'provider') return { where, runs: 'after-yes' }
  if (where === 'inline') return { where: 'server', runs: 'freely' }
  if (where === 'nowhere' || isInvalid || rule === 'deny') return { where: 'here', runs: 'never' }
  return { where: 'here', runs: rule === 'none' || rule === 'allow' ? 'freely' : 'after-yes' }
}

function abortError(): DOMException {
  return new DOMException('The request was aborted.', 'AbortError')
}
