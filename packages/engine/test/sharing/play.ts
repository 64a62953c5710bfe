import type { Scheduler } from 'fast-check'
import { z } from 'zod'
import type { EngineError } from '../../src/errors.ts'
import { toolCallsOf } from '../../src/message/tool-calls.ts'
import { isAwaitingApproval } from '../../src/message/tool-part.ts'
import { toolPlugin } from '../../src/plugins/tools/tool-plugin.ts'
import type { createSharedEngine } from '../../src/sharing/create-shared-engine.ts'
import { defineStorage } from '../../src/storage/define-storage.ts'
import { memoryStorage } from '../../src/storage/memory-storage.ts'
import { fakeBrowser, type FakeBrowser, type FakeTab } from './fake-browser.ts'
import { isOver, lookBack, type Tab, type Told } from './look-back.ts'
import { MOST_TABS, type Move, type Plan } from './plan.ts'
import type { Rules } from './rules.ts'
import { fakeServer } from './fake-server.ts'

/** Time that goes on when told to. */
export interface FakeTime {
  advance(ms: number): void
}

/** Plays a plan: the scheduler owns the order of everything that happens outside of the engines. */
export async function play(
  plan: Plan,
  scheduler: Scheduler,
  create: typeof createSharedEngine,
  rules: Rules,
  time: FakeTime,
): Promise<void> {
  const run = new Play(plan, scheduler, create, rules, time)
  await run.act()
  await run.end()
}

class Play {
  readonly #plan: Plan
  readonly #scheduler: Scheduler
  readonly #create: typeof createSharedEngine
  readonly #rules: Rules
  readonly #time: FakeTime
  readonly #browser: FakeBrowser
  readonly #disk = memoryStorage()
  readonly #runs = new Map<string, number>()
  readonly #asked = new Set<string>()
  readonly #told: Told[] = []
  #tabs: Tab[] = []
  #isDisturbed = false
  #sent = 0
  #ticks = 0
  #losses = 0

  constructor(
    plan: Plan,
    scheduler: Scheduler,
    create: typeof createSharedEngine,
    rules: Rules,
    time: FakeTime,
  ) {
    this.#plan = plan
    this.#scheduler = scheduler
    this.#create = create
    this.#rules = rules
    this.#time = time
    this.#browser = fakeBrowser(
      (what) => this.#gate(what),
      () => plan.losses[this.#losses++ % plan.losses.length] === true,
    )
    for (let count = 0; count < plan.tabs; count++) this.#open()
  }

  async act(): Promise<void> {
    for (const { move, events, ms } of this.#plan.steps) {
      this.#move(move)
      for (let count = 0; count < events; count++) await this.#release()
      if (ms > 0) this.#time.advance(ms)
      await flush()
      this.#look()
    }
  }

  /** Lets everything come to its end, by itself and by decisions, and looks what came of it. */
  async end(): Promise<void> {
    if (this.#tabs.length === 0) this.#open()
    await this.#rest()
    for (let round = 0; round < 60 && !this.#tabs.every(isOver); round++) {
      const tab = this.#tabs[round % this.#tabs.length]
      if (tab) this.#settle(tab)
      await this.#rest()
    }
    lookBack(
      {
        tabs: this.#tabs,
        runs: this.#runs,
        told: this.#told,
        isDisturbed: this.#isDisturbed,
      },
      this.#rules,
    )
    for (const { engine } of this.#tabs) engine.dispose()
    await this.#rest()
    this.#rules.report()
  }

  #open(): void {
    const page = this.#browser.open()
    const server = fakeServer((what) => this.#gate(`${what} of ${page.name}`))
    const engine = this.#create({
      id: 'chat',
      transport: server,
      // The store is as slow as the play likes.
      storage: defineStorage(page.disk(this.#disk), {
        readTimeoutMs: Infinity,
        writeTimeoutMs: Infinity,
      }),
      plugins: [this.#tools(page)],
      locks: page.locks,
      channel: page.channel,
      now: () => ++this.#ticks,
      onError: (error: EngineError) => {
        const isExpected = ['interrupted', 'unknown_message'].includes(error.code)
        this.#rules.hold('nothing is reported that nobody expects', isExpected, error.message)
      },
    })
    this.#tabs.push({ page, engine, open: new Set() })
  }

  #tools(page: FakeTab) {
    const run = async (id: string, isAsked: boolean): Promise<string> => {
      // The dead do nothing.
      if (!page.isAlive) return ''
      const runs = (this.#runs.get(id) ?? 0) + 1
      this.#runs.set(id, runs)
      this.#rules.hold('a call runs at most once', runs === 1, id)
      if (isAsked) {
        const isDecided = this.#asked.has(`yes ${id}`)
        this.#rules.hold('a call that asks runs only after a yes', isDecided, id)
        const isDenied = this.#told.some((one) => one.toolCallId === id && one.outcome === 'no')
        this.#rules.hold('a call that was denied never runs', !isDenied, id)
      }
      await this.#gate(`tool of ${page.name}`)
      return 'done'
    }
    const inputSchema = z.object({ id: z.string() })
    return toolPlugin({
      gate: this.#plan.gate,
      tools: {
        write: { inputSchema, execute: ({ id }: { id: string }) => run(id, true) },
        read: { inputSchema, execute: ({ id }: { id: string }) => run(id, false) },
      },
      defaultApproval: 'approved',
      toolApproval: { write: 'user-approval' },
    })
  }

  #move(move: Move): void {
    const tab = this.#tabs[move.tab % Math.max(1, this.#tabs.length)]
    if (move.do === 'open' || !tab) {
      if (this.#tabs.length < MOST_TABS) this.#open()
      return
    }
    const { engine, page } = tab
    switch (move.do) {
      case 'send': {
        const text = `${++this.#sent}: ${move.calls} calls`
        this.#send(tab, text)
        break
      }
      case 'decide': {
        const waiting = this.#waiting(tab)
        const toolCallId = waiting[move.which % Math.max(1, waiting.length)]
        if (toolCallId !== undefined) this.#decide(tab, toolCallId, move.outcome)
        break
      }
      case 'abort':
        this.#isDisturbed = true
        this.#follow(tab, 'abort', engine.abort())
        break
      case 'remove': {
        const [queued] = engine.getState().queue
        if (queued) engine.removeQueued(queued.id)
        break
      }
      case 'kill':
      case 'leave':
        this.#isDisturbed = true
        this.#tabs = this.#tabs.filter((other) => other !== tab)
        if (move.do === 'kill') page.kill()
        else engine.dispose()
    }
  }

  #send(tab: Tab, text: string): void {
    const sent = tab.engine.sendMessage(text).then(({ error }) => {
      if (!tab.page.isAlive || !error) return
      const isKnown = ['removed', 'interrupted', 'disposed', 'holder_lost'].includes(error.code)
      this.#rules.hold('who sends a message is told what became of it', isKnown, error)
    })
    this.#follow(tab, `send ${text}`, sent)
  }

  #decide(tab: Tab, toolCallId: string, outcome: 'yes' | 'no'): void {
    this.#asked.add(`${outcome} ${toolCallId}`)
    const payload = { toolCallId, outcome }
    const decided = tab.engine.runPluginCommand('tool', 'resumeToolCall', payload)
    this.#follow(
      tab,
      `${outcome} to ${toolCallId}`,
      decided.then((result) => {
        if (!tab.page.isAlive) return
        if (result.success) {
          const isFirst = !this.#told.some(
            (one) => one.toolCallId === toolCallId && one.outcome !== outcome,
          )
          this.#rules.hold('the first decision on a call wins', isFirst, toolCallId)
          this.#told.push({ toolCallId, outcome })
          return
        }
        const isKnown = ['busy', 'disposed', 'not_awaiting_approval', 'unknown_tool_call'].includes(
          result.error.code,
        )
        this.#rules.hold('a refusal says why', isKnown, result.error)
      }),
    )
  }

  #follow(tab: Tab, what: string, promise: Promise<unknown>): void {
    const key = `${what} (${this.#sent}, ${tab.open.size}, ${this.#ticks})`
    tab.open.add(key)
    void promise.then(() => tab.open.delete(key))
  }

  #waiting({ engine }: Tab): string[] {
    const calls = engine.getState().messages.flatMap((message) => toolCallsOf(message))
    return calls.filter(({ part }) => isAwaitingApproval(part)).map((call) => call.toolCallId)
  }

  /** Ends what waits for a person. */
  #settle(tab: Tab): void {
    for (const toolCallId of this.#waiting(tab)) this.#decide(tab, toolCallId, 'yes')
    const { requestState, queue } = tab.engine.getState()
    const isOpen = requestState === 'processing' || requestState === 'paused'
    if (!isOpen) for (const { id, held } of queue) if (held) tab.engine.removeQueued(id)
  }

  /** What holds at any moment. */
  #look(): void {
    const holders = this.#tabs.filter(({ engine }) => engine.role() === 'holder')
    this.#rules.hold('one tab holds the conversation', holders.length <= 1)
    this.#rules.report()
  }

  #gate(what: string): Promise<unknown> {
    return this.#scheduler.schedule(Promise.resolve(), what)
  }

  async #release(): Promise<void> {
    if (this.#scheduler.count() > 0) await this.#scheduler.waitOne()
    await flush()
    this.#look()
  }

  /** Lets everything happen that happens by itself; timers too. */
  async #rest(): Promise<void> {
    for (let quiet = 0; quiet < 3; quiet++) {
      while (this.#scheduler.count() > 0) {
        await this.#release()
        quiet = 0
      }
      this.#time.advance(1_000)
      await flush()
    }
    this.#rules.report()
  }
}

/** Lets promises settle. */
function flush(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve))
}
