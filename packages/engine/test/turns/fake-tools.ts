import type { ToolApprovalStatus } from 'ai'
import { z } from 'zod'
import type { ToolPluginOptions } from '../../src/plugins/tools/options.ts'
import type { CallPlan, Plan } from './plan.ts'
import type { Stage } from './stage.ts'

const input = z.object({ uid: z.string(), n: z.number() })

/** A tool that is at work, also when it ignores that nobody waits for it any more. */
interface Run {
  readonly uid: string
  readonly signal: AbortSignal
  /** The tool gives its place back some time after that. */
  abortedAt: number
}

const GRACE_MS = 2_000

/** Far more than the rules are ever asked about one call. */
const MOST_CHECKS = 20

/** The tools that run here and the rules about them: what each does is planned with its call. */
export class FakeTools {
  readonly #stage: Stage
  readonly #running = new Set<Run>()
  readonly #asked = new Map<string, number>()
  readonly #told = new Map<string, number>()

  constructor(stage: Stage) {
    this.#stage = stage
  }

  /** Whether a tool is at work for one of these calls. */
  isAnyRunning(uids: readonly string[]): boolean {
    return [...this.#running].some(({ uid }) => uids.includes(uid))
  }

  options(plan: Plan): ToolPluginOptions {
    const stage = this.#stage
    const asks = async (uid: string) => (await this.#rule(uid)) === 'user-approval'
    return {
      gate: plan.gate,
      concurrency: plan.concurrency,
      timeoutMs: plan.timeoutMs,
      // Rules are as slow as the play likes.
      checkTimeoutMs: Infinity,
      abortGraceMs: GRACE_MS,
      tools: {
        act: {
          inputSchema: input,
          execute: (
            { uid }: z.infer<typeof input>,
            { abortSignal }: { abortSignal?: AbortSignal },
          ) => this.#execute(uid, abortSignal ?? new AbortController().signal),
        },
      },
      toolApproval: async ({ toolCall }) => {
        const { uid } = input.parse(toolCall.input)
        const { rule } = stage.planOf(uid)
        const isForOthers = plan.asksBy !== 'toolApproval' && (rule === 'ask' || rule === 'fail')
        return isForOthers && !this.#asked.has(uid) ? undefined : this.#rule(uid)
      },
      ...(plan.asksBy === 'shouldPauseToolCall'
        ? {
            shouldPauseToolCall: async (call) => {
              const { uid } = input.parse(call.input)
              return this.#asked.has(uid) ? false : asks(uid)
            },
          }
        : {}),
      ...(plan.makesMessages
        ? {
            toModelMessages: async () => {
              await stage.gate('messages')
              return []
            },
          }
        : {}),
      onToolCallStart: (call) => this.#tell(input.parse(call.input).uid, 'start'),
      onToolCallEnd: (call) => this.#tell(input.parse(call.input).uid, 'end'),
    }
  }

  /** Asked once before a call is shown to anybody, and once more right before it runs. */
  async #rule(uid: string): Promise<ToolApprovalStatus> {
    const { rule, again, isRuleSlow } = this.#stage.planOf(uid)
    const count = (this.#asked.get(uid) ?? 0) + 1
    this.#asked.set(uid, count)
    // An engine that asks without end would let nothing else happen.
    if (count > MOST_CHECKS) {
      this.#stage.rules.hold(
        'the engine comes to rest',
        false,
        `rules are asked about ${uid} forever`,
      )
      return new Promise(() => undefined)
    }
    if (isRuleSlow) await this.#stage.gate(`rule ${uid}`)
    const says = count === 2 && again !== 'same' ? again : rule
    switch (says) {
      case 'none':
        return undefined
      case 'allow':
        return 'approved'
      case 'ask':
        return 'user-approval'
      case 'deny':
        return { type: 'denied', reason: 'not that' }
      case 'fail':
        if (count <= 2) throw new Error('the rule is broken')
        return 'user-approval'
    }
  }

  #tell(uid: string, what: 'start' | 'end'): void {
    const before = this.#told.get(uid) ?? 0
    const isInOrder = what === 'start' ? before === 0 : before === 1
    this.#told.set(uid, before + 1)
    this.#stage.rules.hold('callbacks about a call come once', isInOrder, `${uid} ${what}`)
  }

  #execute(uid: string, signal: AbortSignal): unknown {
    const { rules, model } = this.#stage
    this.#stage.look()
    model.started(uid)
    rules.hold('no tool starts once its turn is over', !signal.aborted, uid)
    this.#stage.checkGate(uid)
    const run: Run = { uid, signal, abortedAt: Infinity }
    signal.addEventListener('abort', () => (run.abortedAt = this.#stage.now()))
    this.#running.add(run)
    const holding = [...this.#running].filter(
      ({ abortedAt }) => this.#stage.now() - abortedAt < GRACE_MS || abortedAt === Infinity,
    )
    const { concurrency } = this.#stage.plan
    rules.hold(
      'no more tools run at a time than may',
      holding.length <= concurrency,
      holding.length,
    )
    const callPlan = this.#stage.planOf(uid)
    if (callPlan.does === 'stream') return this.#stream(run)
    if (callPlan.does !== 'throw') return this.#act(run, callPlan)
    this.#running.delete(run)
    throw new Error('the tool failed at once')
  }

  async #act(run: Run, { does }: CallPlan): Promise<unknown> {
    const { uid } = run
    try {
      await this.#work(run, does)
    } finally {
      this.#running.delete(run)
    }
    if (does === 'fail') throw new Error('the tool failed')
    return does === 'return-no-json' ? { uid, number: 1n } : { uid }
  }

  async #work({ uid, signal }: Run, does: CallPlan['does']): Promise<void> {
    if (does === 'hang') return new Promise(() => undefined)
    const work = this.#stage.gate(`tool ${uid}`)
    if (does === 'ignore-abort') return work
    // Ends early when it is told to.
    const aborted = new Promise<never>((_resolve, reject) => {
      signal.addEventListener('abort', () => reject(new Error('stopped')))
    })
    return Promise.race([work, aborted])
  }

  async *#stream(run: Run): AsyncGenerator<object> {
    try {
      for (const part of [1, 2]) {
        await this.#stage.gate(`tool ${run.uid}`)
        yield { uid: run.uid, part }
      }
    } finally {
      this.#running.delete(run)
    }
  }
}
