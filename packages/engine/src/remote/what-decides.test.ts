import { expect, test } from 'vitest'
import { toolPlugin } from '../plugins/tools/tool-plugin.ts'
import { decides } from './what-decides.ts'

const run = (command: string, plugin = 'tool') =>
  decides({ method: 'runPluginCommand', plugin, command, payload: {} })

test('of the commands of the tool plugin those decide that let something run, answer, or take back', () => {
  const deciding = Object.keys(toolPlugin().commands).filter((command) => run(command))
  expect(deciding).toEqual([
    'resumeToolCall',
    'resumeToolCalls',
    'submitToolOutput',
    'revokePolicy',
    'resumePolicies',
  ])
})

test('what nobody knows may decide', () => {
  const unknown = ['constructor', '__proto__', 'resumeEverything', ''].map((command) =>
    run(command),
  )
  expect(unknown).toEqual([true, true, true, true])
  expect(run('add', 'notes')).toBe(true)
  expect([{ method: 'toString' }, { method: 'approveAll' }, {}, null, 7].map(decides)).toEqual([
    true,
    true,
    true,
    true,
    true,
  ])
})

test('a message decides when there is a call in it', () => {
  const call = { type: 'tool-write', toolCallId: '1', state: 'output-available', output: 'made up' }
  const ofParts = (...parts: object[]) => ({ id: 'm', role: 'assistant', parts })
  const text = ofParts({ type: 'text', text: 'hello' })
  expect(decides({ method: 'sendMessage', message: text })).toBe(false)
  expect(decides({ method: 'setMessages', messages: [text] })).toBe(false)
  expect(decides({ method: 'setMessages', messages: [text, ofParts(call)] })).toBe(true)
  expect(decides({ method: 'editMessage', message: ofParts(call) })).toBe(true)
  expect(decides({ method: 'abort', turnId: 't' })).toBe(false)
})
