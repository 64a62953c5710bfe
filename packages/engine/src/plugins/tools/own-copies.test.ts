import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { createToolEngine } from '../../../test/tool-engine.ts'
import { answer, callTools, untilState } from '../../testing/index.ts'
import type { ToolPluginOptions } from './options.ts'

/** Changes every recipient that can be reached from what a callback was given. */
function meddle(given: unknown): void {
  if (typeof given !== 'object' || given === null) return
  for (const [key, value] of Object.entries(given)) {
    if (key === 'to') Reflect.set(given, key, 'eve')
    // Schemas are the app's own.
    else if (key !== 'tools') meddle(value)
  }
}

type By = <ANSWER>(answer: ANSWER) => (...given: unknown[]) => ANSWER
const ask = 'user-approval' as const

/** Every callback of the app that is given an input or an output. */
const callbacks: readonly (readonly [string, (by: By) => ToolPluginOptions])[] = [
  ['toolApproval for all', (by) => ({ toolApproval: by(ask) })],
  ['toolApproval of the tool', (by) => ({ toolApproval: { send: by(ask) } })],
  ['shouldPauseToolCall', (by) => ({ toolApproval: {}, shouldPauseToolCall: by(true) })],
  ['onToolCallStart', (by) => ({ onToolCallStart: by(undefined) })],
  ['onToolCallEnd', (by) => ({ onToolCallEnd: by(undefined) })],
  ['summary', (by) => ({ toolOptions: { send: { summary: by('Send it') } } })],
  ['preview', (by) => ({ toolOptions: { send: { preview: by(undefined) } } })],
  ['risk', (by) => ({ toolOptions: { send: { risk: by('write' as const) } } })],
  ['exactOnly', (by) => ({ toolOptions: { send: { exactOnly: by(true) } } })],
  ['failure', (by) => ({ toolOptions: { send: { failure: by(undefined) } } })],
]

describe('what runs in the engine is what was approved, whatever is done to what it was given by', () => {
  it.each(callbacks)('%s', async (_, options) => {
    let count = 0
    const by: By =
      (said) =>
      (...given) => {
        count += 1
        // A state that the app is shown is its own to keep whole; inputs and outputs are copies.
        meddle(given.map((one) => (isContext(one) ? undefined : one)))
        return said
      }
    const ran: unknown[] = []
    const { engine, resume, calls } = createToolEngine(
      [callTools({ toolCallId: '1', toolName: 'send', input: { to: 'ada' } }), answer('Sent.')],
      {
        tools: {
          send: {
            inputSchema: z.object({ to: z.string() }),
            execute: (input) => (ran.push(structuredClone(input)), input),
          },
        },
        toolApproval: { send: ask },
        ...options(by),
      },
    )
    await engine.sendMessage('go')
    await resume({ toolCallId: '1' })
    await untilState(engine, ({ requestState }) => requestState === 'completed')
    expect(count).toBeGreaterThan(0)
    expect(ran).toEqual([{ to: 'ada' }])
    expect(calls()).toMatchObject([
      { state: 'output-available', input: { to: 'ada' }, output: { to: 'ada' } },
    ])
  })

  it('one callback does not read what another has written', async () => {
    const read: unknown[] = []
    const noting =
      <ANSWER>(said: ANSWER) =>
      (input: { to: string }) => {
        read.push(input.to)
        input.to = 'eve'
        return said
      }
    const { engine } = createToolEngine(
      [callTools({ toolCallId: '1', toolName: 'send', input: { to: 'ada' } }), answer('Sent.')],
      {
        tools: { send: { inputSchema: z.object({ to: z.string() }), execute: () => 'sent' } },
        toolApproval: { send: noting(ask) },
        toolOptions: {
          send: {
            summary: noting('Send it'),
            risk: noting('write' as const),
            exactOnly: noting(true),
            preview: noting(undefined),
          },
        },
      },
    )
    await engine.sendMessage('go')
    expect(read.length).toBeGreaterThanOrEqual(5)
    expect(new Set(read)).toEqual(new Set(['ada']))
  })

  it('the words of a failure have their secrets masked', async () => {
    const { engine, calls } = createToolEngine(
      [callTools({ toolCallId: '1', toolName: 'send', input: {} }), answer('Hm.')],
      {
        tools: { send: { inputSchema: z.object({}), execute: () => 'no' } },
        toolOptions: { send: { failure: () => 'Refused: hunter2' } },
        redact: (text) => text.replaceAll('hunter2', '[secret]'),
      },
    )
    await engine.sendMessage('go')
    expect(calls()).toMatchObject([{ toolMetadata: { assent: { failure: 'Refused: [secret]' } } }])
  })
})

function isContext(value: unknown): boolean {
  return typeof value === 'object' && value !== null && 'getState' in value
}
