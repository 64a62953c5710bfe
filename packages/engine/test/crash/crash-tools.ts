import { z } from 'zod'
import type { ToolPluginOptions } from '../../src/plugins/tools/options.ts'
import type { Ledger } from './ledger.ts'
import { never, type Life } from './life.ts'
import { outputOf, type TurnScript } from './turn-script.ts'

/** How long a tool takes from its effect to its result. */
const TOOL_MS = 120

/**
 * The tools of one life of the app. All take effect by a note in the ledger, and give their result
 * some time after that.
 *
 * - `look` is free, all others ask
 * - `put` may be run again after a crash, `charge` can tell whether it took effect
 * - `form` is answered by the person
 */
export function crashTools(turn: TurnScript, life: Life, ledger: Ledger): ToolPluginOptions {
  const inputSchema = z.object({ text: z.string() })
  const toolNamed = (name: string) => ({
    inputSchema,
    execute: async (input: { text: string }, { toolCallId }: { toolCallId: string }) => {
      if (life.isDead) return never()
      life.counts.effect++
      if (life.strikes('effect', 'before')) return never()
      ledger.effect(toolCallId, name, input)
      if (life.strikes('effect', 'after')) return never()
      await new Promise((resolve) => setTimeout(resolve, TOOL_MS))
      return life.isDead ? never() : outputOf(name, input)
    },
  })
  return {
    tools: {
      look: toolNamed('look'),
      write: toolNamed('write'),
      mail: toolNamed('mail'),
      put: toolNamed('put'),
      charge: toolNamed('charge'),
      form: { inputSchema },
    },
    toolApproval: {
      write: 'user-approval',
      mail: 'user-approval',
      put: 'user-approval',
      charge: 'user-approval',
    },
    toolOptions: {
      put: { idempotent: true, onInterrupted: 'retry' },
      charge: {
        onInterrupted: 'verify',
        verify: (input) => {
          const { text } = inputSchema.parse(input)
          const done = ledger.effects.some(
            (effect) => effect.tool === 'charge' && inputSchema.parse(effect.input).text === text,
          )
          return done ? { output: outputOf('charge', { text }) } : { happened: false }
        },
      },
    },
    ...(turn.gate && { gate: turn.gate }),
    ...(turn.concurrency && { concurrency: turn.concurrency }),
    durable: turn.isDurable ? 'required' : 'best-effort',
  }
}
