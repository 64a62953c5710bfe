import type { ApprovalScope, ConfirmationOutcome } from '../../confirmation.ts'
import type { MessageEngine } from '../../message-engine.ts'
import { toolCallsOf } from '../../message/tool-calls.ts'
import { isAwaitingApproval, type ToolCallRef } from '../../message/tool-part.ts'
import type { MessageTransport } from '../../transport/transport.ts'
import { withinMs } from '../../within-ms.ts'
import { untilState } from '../until-state.ts'
import type { Site } from './site.ts'
import { World, type ApprovalSetup, type KitInput, type SentCall } from './world.ts'

/** What a page is made of for one test. */
export interface PageSetup extends ApprovalSetup {
  /** Of the conversation. A page that is opened under an id again finds what the one before has left. */
  readonly id: string
  /** Answers as the test wants. */
  readonly transport: MessageTransport
}

/** A decision as a page takes it, on a call that it shows. */
export interface PageDecision extends ToolCallRef {
  readonly outcome: ConfirmationOutcome
  /** Approves this in place of the given input. */
  readonly input?: KitInput
  readonly scope?: ApprovalScope
  /** What was looked at; without one the call as it is. */
  readonly fingerprint?: string
}

type NamedDecision = Omit<PageDecision, 'messageId' | 'step'>

/** What the kit uses of an engine. */
export type TestedEngine = Pick<
  MessageEngine,
  | 'ready'
  | 'getState'
  | 'subscribe'
  | 'sendMessage'
  | 'abort'
  | 'stopAll'
  | 'runPluginCommand'
  | 'dispose'
>

/** A page that is tested. */
export interface ApprovalPage {
  readonly engine: TestedEngine
  /** Decides as your own surface does. Default: the command `resumeToolCall`. */
  decide?(decision: PageDecision): Promise<unknown>
}

/** Opens a page that is made of this. */
export type OpenPage = (setup: PageSetup) => ApprovalPage | Promise<ApprovalPage>

/** How long a page may take to come to rest. */
const REST_MS = 5_000
let pages = 0

/** A page in its world. */
export class PageSite implements Site {
  readonly world = new World()
  readonly #open: OpenPage
  readonly #id = `approval-conformance-${++pages}`
  readonly #opened: ApprovalPage[] = []

  private constructor(open: OpenPage) {
    this.#open = open
  }

  static async open(open: OpenPage): Promise<PageSite> {
    const site = new PageSite(open)
    await site.openBeside()
    return site
  }

  /** Opens the conversation in another page, which is used from now on; the one before stays as it is. */
  async openBeside(): Promise<void> {
    const { tools, toolApproval, transport } = this.world
    const page = await this.#open({ id: this.#id, tools, toolApproval, transport })
    this.#opened.push(page)
    await page.engine.ready
    await this.#rest()
  }

  async reload(): Promise<void> {
    this.world.tell('the page is reloaded')
    this.#page.engine.dispose()
    await this.openBeside()
  }

  /** The page that was opened so many before the last one. */
  #pageBefore(count: number): ApprovalPage {
    const page = this.#opened.at(-1 - count)
    if (!page) throw new Error('No page is open.')
    return page
  }

  get #page(): ApprovalPage {
    return this.#pageBefore(0)
  }

  get engine(): TestedEngine {
    return this.#page.engine
  }

  async send(...calls: readonly SentCall[]): Promise<void> {
    this.world.calls = calls
    this.world.tell(`the model calls ${JSON.stringify(calls)}`)
    void this.engine.sendMessage('Go on.')
    await this.#rest()
  }

  waiting(): readonly string[] {
    return this.#calls()
      .filter(({ part }) => isAwaitingApproval(part))
      .map(({ toolCallId }) => toolCallId)
  }

  async decide(...decisions: readonly NamedDecision[]): Promise<void> {
    await Promise.all(decisions.map((decision) => this.#decide(this.#page, decision)))
    await this.#rest()
  }

  /** Decides, and waits for nothing. */
  begin(decision: NamedDecision): void {
    void this.#decide(this.#page, decision)
  }

  /** Decides in this page and the one before, in one tick. */
  async decideInBoth(decision: NamedDecision): Promise<void> {
    const both = [this.#page, this.#pageBefore(1)]
    await Promise.all(both.map((page) => this.#decide(page, decision)))
    for (const page of both) await this.#rest(page)
  }

  async abort(): Promise<void> {
    this.world.tell('the turn is aborted')
    await this.engine.abort()
    await this.#rest()
  }

  async stopAll(): Promise<void> {
    this.world.tell('everything is stopped')
    await this.engine.stopAll()
    await this.#rest()
  }

  /** Takes every standing permission back. */
  async revokeAll(): Promise<void> {
    this.world.tell('all permissions are taken back')
    for (const record of this.engine.getState().confirmations) {
      if (!('outcome' in record) || record.outcome !== 'yes_always') continue
      await this.engine.runPluginCommand('tool', 'revokePolicy', { policyId: record.id })
    }
    await this.#rest()
  }

  readonly attacks = {
    reload: () => this.reload(),
    'a yes to what was not shown': (toolCallId: string) =>
      this.decide({ toolCallId, outcome: 'yes', fingerprint: 'of something else' }),
    'a yes to nothing': () => this.decide({ toolCallId: 'nobody', outcome: 'yes' }),
  }

  async close(): Promise<void> {
    for (const { engine } of this.#opened) engine.dispose()
  }

  #calls() {
    return this.engine.getState().messages.flatMap((message) => toolCallsOf(message))
  }

  async #decide(page: ApprovalPage, decision: NamedDecision): Promise<unknown> {
    this.world.tell(`a person decides: ${JSON.stringify(decision)}`)
    const { messageId = '', step = 0 } =
      this.#calls().findLast(({ toolCallId }) => toolCallId === decision.toolCallId) ?? {}
    const made = { messageId, step, ...decision }
    if (page.decide) return page.decide(made)
    const result = await page.engine.runPluginCommand('tool', 'resumeToolCall', made)
    if (!result.success) this.world.tell(`  that is refused: ${result.error.code}`)
    return result
  }

  /** Resolves when a page does nothing any more, and nothing comes of that either. */
  async #rest(page = this.#page): Promise<void> {
    const isAtRest = () => page.engine.getState().requestState !== 'processing'
    for (let looks = 0; looks < 3; looks++) {
      await withinMs(REST_MS, async () => void (await untilState(page.engine, isAtRest)))
      await withinMs(0, () => new Promise(() => undefined))
    }
    const { requestState, turn } = page.engine.getState()
    const facts = { requestState, turn }
    this.world.hold('what was let run does run, and what is to be asked waits', isAtRest(), facts)
  }
}
