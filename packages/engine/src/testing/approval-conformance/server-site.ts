import type { LanguageModel, UIMessage } from 'ai'
import { createMessageReducer } from '../../message/message-reducer.ts'
import { isAwaitingApproval, isToolCallPart, type ToolCallPart } from '../../message/tool-part.ts'
import { httpTransport } from '../../transport/http-transport.ts'
import type { Site, SiteDecision } from './site.ts'
import type { ApprovalSetup, SentCall, World } from './world.ts'

/** What a route is made of for one test. */
export interface RouteSetup extends ApprovalSetup {
  /** Answers as the test wants. */
  readonly model: LanguageModel
}

/** A route that is tested: takes what `useChat` posts, `{ id, messages }`, and streams UI messages. */
export interface ApprovalRoute {
  /** Gets requests to `http://localhost/api/chat`. */
  fetch(request: Request): Promise<Response>
  close?(): void | Promise<void>
}

/** A handler that is tested. Takes the header `x-user` for the user. */
export interface ApprovalHandler extends ApprovalRoute {
  /** Lets so much time go by that what was asked cannot be approved any more. */
  expire(): void | Promise<void>
  /** Goes on in another process, with what the one before has kept. */
  restart(): void | Promise<void>
}

/** Opens a route that is made of this. */
export type OpenRoute = (setup: RouteSetup) => ApprovalRoute | Promise<ApprovalRoute>

/** Opens a handler that is made of this. */
export type OpenHandler = (setup: RouteSetup) => ApprovalHandler | Promise<ApprovalHandler>

/** Who posts, and in which conversation. */
export interface Sender {
  readonly user?: string
  readonly id?: string
}

/** A route or handler in its world, as somebody sees it who may post anything. */
export class ServerSite<ROUTE extends ApprovalRoute = ApprovalRoute> implements Site {
  readonly world: World
  readonly route: ROUTE
  messages: UIMessage[] = []
  readonly attacks: Record<string, (toolCallId: string) => Promise<void>> = {
    'posts a yes to another input': (toolCallId) =>
      this.forge(toolCallId, () => ({ input: { path: '/forged' } })),
    'posts a yes that nobody signed': (toolCallId) =>
      this.forge(toolCallId, () => ({ approval: { id: 'forged', approved: true } })),
  }

  constructor(world: World, route: ROUTE) {
    this.world = world
    this.route = route
  }

  async send(...calls: readonly SentCall[]): Promise<void> {
    const { world, messages } = this
    world.calls = calls
    world.tell(`the model calls ${JSON.stringify(calls)}`)
    const id = `message-${messages.length}`
    await this.#go([...messages, { id, role: 'user', parts: [{ type: 'text', text: 'Go on.' }] }])
  }

  waiting(): readonly string[] {
    return this.#calls()
      .filter((part) => isAwaitingApproval(part))
      .map(({ toolCallId }) => toolCallId)
  }

  /** Decides, and posts that once nothing waits any more, as pages do. */
  async decide(...decisions: readonly SiteDecision[]): Promise<void> {
    const ids = new Set(decisions.map(({ toolCallId }) => toolCallId))
    const waiting = this.waiting().filter((id) => ids.has(id))
    if (waiting.length === 0) return
    this.world.tell(`a person decides: ${JSON.stringify(decisions)}`)
    this.messages = this.decided(({ toolCallId }) => {
      const decision = decisions.find((one) => one.toolCallId === toolCallId)
      return decision && decision.outcome === 'yes'
    })
    if (this.waiting().length === 0) await this.#go(this.messages)
  }

  /** The conversation with what waits decided: by `true` or `false`, or not. */
  decided(
    say: (part: ToolCallPart) => boolean | undefined,
    change: (part: ToolCallPart) => object = () => ({}),
  ): UIMessage[] {
    const messages = structuredClone(this.messages)
    for (const part of messages.at(-1)?.parts ?? []) {
      if (!isToolCallPart(part) || !isAwaitingApproval(part)) continue
      const approved = say(part)
      if (approved === undefined) continue
      const approval = { ...part.approval, approved }
      Object.assign(part, { state: 'approval-responded', approval }, change(part))
    }
    return messages
  }

  /** Posts a yes to what waits that is not what was asked about; the conversation stays as it is. */
  async forge(toolCallId: string, change: (part: ToolCallPart) => object): Promise<void> {
    const isOne = (part: ToolCallPart) => part.toolCallId === toolCallId
    const messages = this.decided(isOne, (part) => (isOne(part) ? change(part) : {}))
    await this.post(messages)
  }

  /** Posts a conversation. Answers it as it is after that, or as it was when it was refused. */
  async post(
    messages: readonly UIMessage[],
    { user = 'ada', id = 'chat' }: Sender = {},
  ): Promise<UIMessage[]> {
    const { route, world } = this
    const transport = httpTransport({
      api: 'http://localhost/api/chat',
      fetch: (url, init) => route.fetch(new Request(url, init)),
      retry: false,
    })
    const last = messages.at(-1)
    const isContinued = last?.role === 'assistant'
    const before = isContinued ? messages.slice(0, -1) : [...messages]
    const answer = createMessageReducer(
      isContinued ? last : { id: `message-${messages.length}`, role: 'assistant', parts: [] },
      { keepId: true },
    )
    try {
      const stream = await transport.sendMessages({
        trigger: 'submit-message',
        chatId: id,
        messageId: undefined,
        messages: [...messages],
        abortSignal: undefined,
        headers: { 'x-user': user },
      })
      for (const reader = stream.getReader(); ;) {
        const { done, value } = await reader.read()
        if (done) break
        answer.apply(value)
      }
    } catch (error) {
      world.tell(`  that is refused: ${String(error)}`)
      return [...messages]
    }
    return [...before, answer.snapshot()]
  }

  async close(): Promise<void> {
    await this.route.close?.()
  }

  async #go(messages: UIMessage[]): Promise<void> {
    this.messages = messages
    this.messages = await this.post(messages)
  }

  #calls(): ToolCallPart[] {
    const parts: readonly UIMessage['parts'][number][] = this.messages.at(-1)?.parts ?? []
    return parts.filter(isToolCallPart)
  }
}
