import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { createNotesWorkspace, type NotesWorkspace } from '../../src/workspace/notes.ts'
import { createWorkspaceTools } from '../../src/workspace/tools.ts'
import { type Conversation, createConversation } from '../testing/conversation.ts'
import { type ServedChat, startChat } from '../testing/start-chat.ts'

// Whole turns over HTTP, with the page's real tools on its real workspace: what the demo model says
// must fit what the tools give back.

let chatServer: ServedChat
let workspace: NotesWorkspace
let chat: Conversation

beforeAll(async () => {
  chatServer = await startChat()
})
afterAll(() => chatServer.close())
beforeEach(() => {
  workspace = createNotesWorkspace()
  chat = createConversation(chatServer.url, createWorkspaceTools(workspace, { searchMs: 0 }))
})

async function ask(request: string): Promise<string> {
  await chat.say(request)
  await chat.finish()
  expect(chat.errors).toEqual([])
  // The words for an output whose shape is not the one that was expected.
  expect(chat.answer()).not.toContain('gave back')
  return chat.answer()
}

const titles = () => workspace.notes.value.map(({ title }) => title)
const word = () => crypto.randomUUID().slice(0, 8)

describe('in whole turns, the demo model', () => {
  test('writes a note', async () => {
    const [title, content] = [word(), word()]
    const answer = await ask(`Write a note called “${title}” saying “${content}”`)
    expect(workspace.read(title).content).toBe(content)
    expect(answer).toBe(`The note “${title}” is new (revision 1). It says:\n\n> ${content}`)
    expect(await ask(`Change the note “${title}” to “”`)).toBe(
      `The note “${title}” was changed (revision 2) and empty.`,
    )
  })

  test('cleans up what it is told to', async () => {
    const answer = await ask('Clean up: archive “Trip to Lisbon” and delete “Scratchpad”')
    expect(workspace.read('Trip to Lisbon').archived).toBe(true)
    expect(titles()).not.toContain('Scratchpad')
    expect(answer).toContain('There are 4 notes: “Launch plan”, “Trip to Lisbon”, “Ideas” and')
    expect(answer).toContain('The note “Trip to Lisbon” is in the archive now.')
    expect(answer).toContain('The note “Scratchpad” is gone for good; 3 are left.')
  })

  test('cleans up what it finds', async () => {
    await ask('Clean up my notes')
    expect(workspace.read('Trip to Lisbon').archived).toBe(true)
    expect(titles()).toEqual(['Launch plan', 'Trip to Lisbon', 'Ideas'])
    expect(await ask('Clean up my notes')).toBe('Nothing is done and nothing is empty: all tidy.')
  })

  test('searches', async () => {
    const answer = await ask('Search my notes for “launch”')
    expect(answer).toContain('“launch” is in 2 notes:')
    expect(answer).toContain('- **Ideas**: A launch party without a launch.')
    expect(await ask('Search my notes for “zebra”')).toBe('No note speaks of “zebra”.')
  })

  test('reads a note, then deletes it', async () => {
    const answer = await ask('Read the note “Launch plan”, then delete it')
    expect(answer).toContain('> Launch on a Tuesday, never on a Friday.\n> - [x] write the')
    expect(answer).toContain('The note “Launch plan” is gone for good')
    expect(titles()).not.toContain('Launch plan')
  })

  test('adds to the note that it found', async () => {
    const addition = word()
    const before = workspace.read('Launch plan').content
    const answer = await ask(`List my notes, then add “${addition}” to the first one`)
    expect(workspace.read('Launch plan').content).toBe(`${before}\n${addition}`)
    expect(answer).toContain(`> ${addition}`)
  })

  test('archives all notes and speaks of the one that it could not archive', async () => {
    await ask('Archive “Ideas”')
    const answer = await ask('Archive all my notes')
    expect(workspace.notes.value.every(({ archived }) => archived)).toBe(true)
    expect(answer).toContain('The note “Ideas” is in the archive already.')
  })

  test('summarises', async () => {
    const answer = await ask('Summarise my notes')
    expect(answer).toContain('| Ideas | 13 | A clock that asks before it strikes. |')
    expect(answer).toContain('| Scratchpad | 0 | *(empty)* |')
  })

  test('sends a report of the notes, once a person agrees', async () => {
    await ask('Send a report of my notes to ada@example.org')
    chat.decide('send_report', true)
    await chat.post()
    const report = chatServer.world.outbox.list().at(-1)
    expect(report).toMatchObject({ to: 'ada@example.org', subject: 'The state of the notes' })
    expect(report?.body).toBe('Notes: Launch plan, Trip to Lisbon, Ideas and Scratchpad.')
    expect(chat.answer()).toContain(report?.receipt)
  })

  test('speaks of the export that failed', async () => {
    const target = word()
    expect(await ask(`Export my notes to “${target}”`)).toContain(
      `> Nothing was exported: this page has no connection to “${target}”`,
    )
  })

  test('deletes a backup, once a person agrees', async () => {
    await ask('Delete the backup “nightly-17”')
    chat.decide('delete_backup', true)
    await chat.post()
    expect(chat.answer()).toBe(
      'The backup “nightly-17” is gone, which freed 412 MB. Still there: “nightly-18” and “before-migration”.',
    )
  })

  test('thinks first, then acts', async () => {
    await ask('Think first, then delete the note “Scratchpad”')
    expect(titles()).not.toContain('Scratchpad')
    const reasoning = chat.messages.at(-1)?.parts.filter(({ type }) => type === 'reasoning')
    expect(reasoning).toMatchObject([{ text: expect.stringContaining('cannot be brought back') }])
  })

  test('talks at length', async () => {
    expect((await ask('Write a long answer about asking before acting')).length).toBeGreaterThan(
      9e3,
    )
  })

  test('says what it understands', async () => {
    expect(await ask('Sing me a song')).toContain('- Summarise my notes')
  })
})
