import { createMessageEngine, httpTransport, toolPlugin, type ToolCallPart } from '@assent/engine'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { type ServedChat, startChat } from '../server/testing/start-chat.ts'
import { createNotesWorkspace } from './workspace/notes.ts'
import { createToolOptions, toolsOfServer } from './workspace/tool-options.ts'
import { createWorkspaceTools, workspaceApproval } from './workspace/tools.ts'

let chat: ServedChat

beforeEach(async () => {
  chat = await startChat()
})
afterEach(() => chat.close())

function start() {
  const workspace = createNotesWorkspace()
  const engine = createMessageEngine({
    transport: httpTransport({ api: `${chat.url}/api/chat` }),
    plugins: [
      toolPlugin({
        tools: createWorkspaceTools(workspace, { searchMs: 0 }),
        toolApproval: workspaceApproval,
        toolOptions: createToolOptions({ noteOf: workspace.find, backups: () => undefined }),
        knownTools: toolsOfServer,
        announceTools: true,
      }),
    ],
  })
  const parts = () => engine.getState().messages.at(-1)?.parts ?? []
  return {
    workspace,
    engine,
    call: (name: string) =>
      parts().find((part): part is ToolCallPart => part.type === `tool-${name}`),
    answer: () =>
      parts()
        .map((part) => (part.type === 'text' ? part.text : ''))
        .join('\n'),
  }
}

const word = () => crypto.randomUUID().slice(0, 8)

test('a call of each side pauses, and both run once both are approved', async () => {
  const { engine, workspace, call, answer } = start()
  const [title, body] = [word(), word()]
  const paused = await engine.sendMessage(
    `Write a note called “${title}” saying “x”, and send a report to ada@example.org saying “${body}”`,
  )
  expect(paused.requestState).toBe('paused')
  expect(call('write_note')?.state).toBe('approval-requested')
  expect(call('send_report')?.state).toBe('approval-requested')
  expect(call('send_report')?.toolMetadata).toMatchObject({
    risk: 'send',
    assent: { summary: `Send the report “${body}” to ada@example.org`, risk: 'send' },
  })
  for (const name of ['send_report', 'write_note']) {
    const toolCallId = call(name)?.toolCallId ?? ''
    const result = await engine.runPluginCommand('tool', 'resumeToolCall', { toolCallId })
    expect(result).toMatchObject({ success: true })
  }
  await expect.poll(() => engine.getState().requestState).toBe('completed')
  expect(workspace.read(title).content).toBe('x')
  const [report] = chat.world.outbox.list()
  expect(report?.body).toBe(body)
  expect(answer()).toContain(report?.receipt)
  expect(answer()).toContain(`The note “${title}” is new`)
  engine.dispose()
})

test('a denied call of each side does nothing, and its reason is spoken of', async () => {
  const { engine, workspace, call, answer } = start()
  const [one, two] = [word(), word()]
  await engine.sendMessage('Delete the note “Ideas” and delete the backup “nightly-17”')
  for (const [name, reason] of [
    ['delete_note', one],
    ['delete_backup', two],
  ] as const) {
    await engine.runPluginCommand('tool', 'resumeToolCall', {
      toolCallId: call(name)?.toolCallId ?? '',
      outcome: 'no',
      reason,
    })
  }
  await expect.poll(() => engine.getState().requestState).toBe('completed')
  expect(workspace.read('Ideas').archived).toBe(false)
  expect(chat.world.backups.list()).toHaveLength(3)
  expect(answer()).toContain(`the note “Ideas”, so it did not happen. Your reason:\n\n> ${one}`)
  expect(answer()).toContain(`“nightly-17”, so it did not happen. Your reason:\n\n> ${two}`)
  engine.dispose()
})

test('each step continues where the page has done its part', async () => {
  const { engine, workspace, call } = start()
  const addition = word()
  await engine.sendMessage(`List my notes, then add “${addition}” to the first one`)
  expect(engine.getState().requestState).toBe('paused')
  await engine.runPluginCommand('tool', 'resumeToolCall', {
    toolCallId: call('write_note')?.toolCallId ?? '',
  })
  await expect.poll(() => engine.getState().requestState).toBe('completed')
  expect(workspace.read('Launch plan').content).toMatch(new RegExp(`\n${addition}$`))
  engine.dispose()
})
