import { jsonSchema, tool, type ToolApprovalStatus, type ToolSet } from 'ai'
import { z } from 'zod'
import type { ToolPluginOptions } from '../../src/plugins/tools/options.ts'
import type { RuleAnswer } from '../../src/testing/decision-model.ts'
import { INPUTS, type Input } from './scopes.ts'
import { never } from '../crash/life.ts'
import type { Holder } from './holder.ts'
import type { Stage } from './stage.ts'

const standardSchema = z.object({ path: z.string(), amount: z.number() })

/** Far more than the rules are ever asked about one call. */
const MOST_CHECKS = 60

/** The tools of a play and the rules about them: what each does is planned with its call. */
export class Tools {
  readonly #stage: Stage
  readonly #asked = new Map<string, number>()

  constructor(stage: Stage) {
    this.#stage = stage
  }

  /**
   * The tools of one engine.
   *
   * @param version of the schema of `write`
   */
  options(holder: Holder, version: number): ToolPluginOptions {
    const { gate, concurrency } = this.#stage.plan
    const execute = (input: Input, details: { toolCallId: string; abortSignal?: AbortSignal }) =>
      this.#execute(holder, input, details.toolCallId, details.abortSignal)
    const tools: ToolSet = {
      write: tool({ inputSchema: validated(version), execute }),
      send: tool({ inputSchema: standardSchema, execute }),
      wipe: tool({ inputSchema: standardSchema, execute }),
      form: tool({ inputSchema: jsonSchema<Input>({ type: 'object' }), execute }),
      ask: tool({ inputSchema: standardSchema }),
    }
    return {
      gate,
      concurrency,
      // The plays call the few inputs that they have again and again.
      repeatLimits: false,
      // Rules are as slow as the play likes.
      checkTimeoutMs: Infinity,
      tools,
      defaultApproval: 'approved',
      toolOptions: { wipe: { risk: 'destroy' } },
      toolApproval: ({ toolCall }) => this.#rule(holder, toolCall.toolCallId, toolCall.input),
    }
  }

  /** Says first what was planned, and after that what was planned for then. */
  async #rule(holder: Holder, toolCallId: string, input: unknown): Promise<ToolApprovalStatus> {
    if (holder.isGone) return never()
    const { model, watch, callOf, gate } = this.#stage
    const { uid, rule, again, isRuleSlow } = callOf(toolCallId)
    const call = model.calls.get(uid)
    const count = (this.#asked.get(uid) ?? 0) + 1
    this.#asked.set(uid, count)
    this.#stage.look()
    if (call) {
      const isRight = JSON.stringify(input) === JSON.stringify(INPUTS[call.input])
      watch.hold('I2 rules are asked about the input that is to run', isRight, { uid, input })
    }
    // An engine that asks without end would let nothing else happen.
    if (count > MOST_CHECKS) {
      watch.hold('I10 the play comes to rest', false, `rules are asked about ${uid} forever`)
      return new Promise(() => undefined)
    }
    if (isRuleSlow) await gate(`rule ${uid}`)
    // What is said to nobody does not count.
    if (holder.isGone) return never()
    const says = count === 1 || again === 'same' ? rule : again
    watch.tell(`the rules say ${says} to ${uid}`)
    model.ruled(uid, says)
    return statusOf(says)
  }

  #execute(
    holder: Holder,
    input: Input,
    toolCallId: string,
    signal = new AbortController().signal,
  ): unknown {
    const { life } = holder
    if (life.isDead) return never()
    life.counts.effect++
    if (life.strikes('effect', 'before')) return never()
    this.#stage.acts(holder)
    const { uid, tool: name, does } = this.#stage.callOf(toolCallId)
    this.#stage.runs(uid, name, input)
    if (life.strikes('effect', 'after')) return never()
    if (does === 'throw') throw new Error('the tool failed at once')
    if (does === 'stream') return this.#stream(uid)
    return this.#act(uid, does, signal)
  }

  async #act(uid: string, does: string, signal: AbortSignal): Promise<unknown> {
    if (does === 'hang') return new Promise(() => undefined)
    const aborted = new Promise<never>((_resolve, reject) => {
      if (does !== 'ignore-abort')
        signal.addEventListener('abort', () => reject(new Error('stopped')))
    })
    await Promise.race([this.#stage.gate(`tool ${uid}`), aborted])
    if (does === 'fail') throw new Error('the tool failed')
    return { uid }
  }

  async *#stream(uid: string): AsyncGenerator<object> {
    for (const part of [1, 2]) {
      await this.#stage.gate(`tool ${uid}`)
      yield { uid, part }
    }
  }
}

function validated(version: number) {
  const schema = { type: 'object', description: `Version ${version}` } as const
  return jsonSchema<Input>(schema, {
    validate: (value) => {
      const read = standardSchema.safeParse(value)
      return read.success
        ? { success: true, value: read.data }
        : { success: false, error: read.error }
    },
  })
}

function statusOf(says: RuleAnswer): ToolApprovalStatus {
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
      throw new Error('the rule is broken')
  }
}
