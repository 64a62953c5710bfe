import { jsonSchema, type ToolSet, type UIMessage } from 'ai'
import { describe, expect, it } from 'vitest'
import { createToolEngine } from '../../../test/tool-engine.ts'
import type { ConfirmationRecord, ToolCallConfirmation } from '../../confirmation.ts'
import type { EngineStorage } from '../../persistence.ts'
import { defineStorage } from '../../storage/define-storage.ts'
import { memoryStorage } from '../../storage/memory-storage.ts'
import { answer, callTools } from '../../testing/index.ts'
import { deriveApprovalPolicies } from './policies.ts'

const COUNT = 300

/** One that was given on the call of message `m<index>`. */
function always(index: number, more: Partial<ToolCallConfirmation> = {}): ToolCallConfirmation {
  return {
    id: `p${index}`,
    conversationId: 'c',
    messageId: `m${index}`,
    step: 1,
    toolCallId: `t${index}`,
    toolName: 'write',
    fingerprint: `f${index}`,
    at: index,
    outcome: 'yes_always',
    scope: { covers: 'input' },
    ...more,
  }
}

const all = <T>(make: (index: number) => T): T[] =>
  Array.from({ length: COUNT }, (_, at) => make(at))

/** What a step costs that calls a tool, counted in looks at ids of messages and in changes of the state. */
async function stepWith(confirmations: readonly ConfirmationRecord[], tools: ToolSet = {}) {
  let reads = 0
  let changes = 0
  const kept = defineStorage(memoryStorage())
  const storage: EngineStorage = {
    open(host) {
      const persistence = kept.open(host)
      return {
        ...persistence,
        changed(...what) {
          changes++
          persistence.changed(...what)
        },
      }
    },
  }
  const messages = all((index): UIMessage => ({
    get id() {
      reads++
      return `m${index}`
    },
    role: 'assistant',
    parts: [
      { type: 'step-start' },
      {
        type: 'tool-write',
        toolCallId: `t${index}`,
        state: 'output-available',
        input: {},
        output: 'ok',
      },
    ],
  }))
  const { engine, completed } = createToolEngine(
    [callTools({ toolCallId: 'new', toolName: 'write', input: {} }), answer('done')],
    { callTool: () => 'ok', tools },
    { id: 'c', messages, confirmations, storage },
  )
  await engine.ready
  reads = 0
  changes = 0
  await engine.sendMessage('go')
  await completed()
  return { engine, reads, changes }
}

describe('many standing permissions', () => {
  it('are looked through without the whole conversation for each of them', async () => {
    const none = await stepWith([])
    const many = await stepWith(all((index) => always(index)))
    expect(many.engine.getState().requestState).toBe('completed')
    // A few looks at each, in each round; not one for each pair of a policy and a message.
    expect(many.reads - none.reads).toBeLessThan(20 * COUNT)
  })

  it('that end together are noted together, once', async () => {
    const tools = { write: { inputSchema: jsonSchema({ type: 'object' }), execute: () => 'ok' } }
    const { engine, changes } = await stepWith(
      all((index) => always(index, { schema: 'of before' })),
      tools,
    )
    const { confirmations } = engine.getState()
    const events = confirmations.flatMap((one) => ('event' in one ? [one.event] : []))
    expect(events).toEqual(all(() => 'schema-changed'))
    expect(changes).toBeLessThan(COUNT)
  })

  it('that were seen to expire are not looked for in the history one by one', async () => {
    let reads = 0
    const expired = all((index): ConfirmationRecord => {
      const { scope: _scope, outcome: _outcome, ...call } = always(index)
      return {
        ...call,
        id: `e${index}`,
        event: 'expired',
        get policyId() {
          reads++
          return `p${index}`
        },
      }
    })
    const given = all((index) => always(index, { scope: { covers: 'input', until: 1 } }))
    const { engine } = await stepWith([...given, ...expired])
    expect(engine.getState().confirmations).toHaveLength(2 * COUNT)
    expect(reads).toBeLessThan(20 * COUNT)
  })

  it('are read once, however often they are derived', () => {
    let reads = 0
    const records = all((index) =>
      Object.defineProperty(always(index), 'scope', {
        get() {
          reads++
          return { covers: 'tool' }
        },
      }),
    )
    for (let at = 0; at < 5; at++) {
      expect(deriveApprovalPolicies([...records], { now: at })).toHaveLength(COUNT)
    }
    expect(reads).toBe(COUNT)
  })
})
