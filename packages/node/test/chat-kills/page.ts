import {
  httpTransport,
  isToolCallPart,
  toolPlugin,
  type EngineState,
  type ToolCallPart,
} from '@assent/engine'
import { untilState } from '@assent/engine/testing'
import type { UIMessage } from 'ai'
import { connectEngine } from '../chat-client.ts'
import type { Servers } from './servers.ts'

/** A page with a conversation, which comes back to a server that was gone. */
export interface Page {
  readonly messages: readonly UIMessage[]
  /** Says something, decides what is asked, and goes on until the answer is complete. */
  say(text: string): Promise<void>
  /** How often it took an answer up, or asked for it again. */
  readonly returns: number
}

export interface PageOptions {
  readonly servers: Pick<Servers, 'name' | 'origin' | 'ready'>
  readonly id: string
  /** What the person says to a call. */
  readonly decide: (toolCallId: string) => 'yes' | 'no'
}

/** One address, as behind a proxy. */
export const API = 'http://chat/api/chat'

/** Asks the server that is there by now. */
export function fetchFrom(servers: Pick<Servers, 'origin'>): typeof fetch {
  return (input, init) => fetch(String(input).replace('http://chat', servers.origin), init)
}

/** Whether an approval was given that nothing has come of. */
function isInFlight({ state, approval }: ToolCallPart): boolean {
  return state === 'approval-responded' && approval?.approved === true
}

/** A page with an engine: what was cut off it takes up, or else asks for again. */
export function openPage({ servers, id, decide }: PageOptions): Page {
  let returns = 0
  const transport = httpTransport({ api: API, fetch: fetchFrom(servers) })
  const { engine, resume } = connectEngine(
    API,
    {},
    {
      id,
      transport,
      plugins: [toolPlugin()],
      resend: { baseMs: 50, maxMs: 500 },
      onError: () => undefined,
    },
  )

  async function decideAll({ messages }: EngineState): Promise<void> {
    const waiting = messages
      .flatMap(({ parts }) => parts.filter(isToolCallPart))
      .filter(({ state }) => state === 'approval-requested')
    for (const { toolCallId } of waiting) {
      await resume({ toolCallId, outcome: decide(toolCallId) })
    }
    await untilState(engine, ({ requestState }) => requestState !== 'paused')
  }

  async function comeBack(): Promise<void> {
    const { turn, messages, error } = engine.getState()
    const open = messages.flatMap(({ parts }) => parts.filter(isToolCallPart)).filter(isInFlight)
    // What was decided is sent again by itself, for as long as the server is away.
    if (open.length > 0)
      throw new Error(`${JSON.stringify(open)} was left behind.`, { cause: error })
    await servers.ready()
    returns += 1
    if (!turn?.lastStep?.isEnded) await engine.reconnect()
    if (engine.getState().requestState !== 'error') return
    const { error: refusal } = await engine.retry()
    // The test is over, and has failed elsewhere.
    if (refusal?.code === 'disposed') throw refusal
  }

  return {
    get messages() {
      return engine.getState().messages
    },
    get returns() {
      return returns
    },
    async say(text) {
      await engine.sendMessage(text)
      for (;;) {
        const state = await untilState(engine, ({ requestState }) => requestState !== 'processing')
        if (state.requestState === 'completed') return
        if (state.requestState === 'paused') await decideAll(state)
        else if (state.requestState === 'error') await comeBack()
        else throw new Error(`The conversation is ${state.requestState}.`)
      }
    },
  }
}
