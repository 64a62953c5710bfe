import { toolPlugin, type Gate } from '@assent/engine'
import { answer, callTools, scriptedTransport } from '@assent/engine/testing'
import { useMessage } from '@assent/vue'
import type { ToolSet } from 'ai'
import { expect, test } from 'vitest'
import { page, userEvent } from 'vitest/browser'
import { render } from 'vitest-browser-vue'
import { defineComponent, h } from 'vue'
import { z } from 'zod'
import '../style/index.css'
import AsChat from './AsChat.vue'

type Script = NonNullable<Parameters<typeof scriptedTransport>[0]>

/** A real conversation, from the composer to the tool; only the model is scripted. */
async function converse(script: Script, options: { gate?: Gate } = {}) {
  const deleted: string[] = []
  const tools: ToolSet = {
    delete_note: {
      inputSchema: z.object({ id: z.string() }),
      execute: ({ id }: { id: string }) => {
        if (id === 'locked') throw new Error('The note is locked.')
        deleted.push(id)
        return { deleted: id }
      },
    },
  }
  tools['rename_note'] = {
    inputSchema: z.object({ path: z.string().max(20) }),
    execute: async ({ path }: { path: string }) => `Renamed ${path}`,
  }
  tools['ask_person'] = { inputSchema: z.object({ question: z.string() }) }
  tools['wait'] = {
    inputSchema: z.object({}),
    execute: (_input: unknown, { abortSignal }: { abortSignal?: AbortSignal }) =>
      new Promise((_, reject) => {
        abortSignal?.addEventListener('abort', () => reject(abortSignal.reason))
      }),
  }
  const transport = scriptedTransport(script)
  const App = defineComponent(() => {
    const chat = useMessage({
      transport,
      plugins: [
        toolPlugin({
          tools,
          ...options,
          shouldPauseToolCall: ({ toolName }) => toolName.includes('note'),
          toolOptions: {
            delete_note: {
              summary: ({ id }: { id: string }) => `Delete the note ${id}`,
              risk: 'write',
            },
          },
        }),
      ],
    })
    return () => h('div', { style: { blockSize: '800px' } }, h(AsChat, { chat }))
  })
  await page.viewport(800, 850)
  await render(App)
  await page.getByRole('textbox', { name: 'Message' }).click()
  await userEvent.keyboard('Tidy up{Enter}')
  return { deleted, transport }
}

const rename = (toolCallId: string, path: string) => ({
  toolCallId,
  toolName: 'rename_note',
  input: { path },
})
const remove = (toolCallId: string, id: string) => ({
  toolCallId,
  toolName: 'delete_note',
  input: { id },
})
const card = (id: string) => page.getByRole('group', { name: `Delete the note ${id}` })

test('an approved call runs, folds to a line with its time, and the model goes on', async () => {
  const { deleted, transport } = await converse([
    callTools(remove('c1', 'old')),
    answer('The note is **gone**.'),
  ])
  await expect.element(card('old')).toBeVisible()
  expect(deleted).toEqual([])
  await card('old').getByRole('button', { name: 'Delete' }).click()
  await expect.element(page.getByText('gone')).toBeVisible()
  expect(deleted).toEqual(['old'])
  await expect
    .element(page.getByRole('button', { name: /^Delete the note old · Done You · .* · \d+ms/ }))
    .toBeVisible()
  expect(JSON.stringify(transport.requests[1]?.messages)).toContain('"deleted":"old"')
})

test('a denied call does not run, and its reason reaches the model', async () => {
  const { deleted, transport } = await converse([
    callTools(remove('c1', 'old')),
    answer('I leave it.'),
  ])
  await card('old').getByRole('button', { name: 'Deny' }).click()
  await page.getByRole('button', { name: 'Wrong target' }).click()
  await page.getByRole('button', { name: 'Deny: Wrong target' }).click()
  await expect.element(page.getByText('I leave it.')).toBeVisible()
  expect(deleted).toEqual([])
  expect(JSON.stringify(transport.requests[1]?.messages)).toContain('Wrong target')
  await expect
    .element(page.getByRole('button', { name: /Delete the note old · Denied: Wrong target/ }))
    .toBeVisible()
})

test('two calls wait for both decisions; what was decided first stays where it is', async () => {
  const { deleted } = await converse(
    [callTools([remove('c1', 'one'), remove('c2', 'two')]), answer('Both done.')],
    { gate: 'step' },
  )
  await expect.element(page.getByText('1 of 2')).toBeVisible()
  // Buttons take clicks after the cards have risen into their places.
  await expect.element(card('one').getByRole('button', { name: 'Delete' })).toBeEnabled()
  const top = card('two').element().getBoundingClientRect().top
  await card('one').getByRole('button', { name: 'Delete' }).click()
  await expect.element(card('one').getByText('Approved')).toBeVisible()
  expect(card('two').element().getBoundingClientRect().top).toBe(top)
  expect(deleted).toEqual([])
  await card('two').getByRole('button', { name: 'Delete' }).click()
  await expect.element(page.getByText('Both done.')).toBeVisible()
  expect(deleted).toEqual(['one', 'two'])
})

test('a call that fails ends as a card with the cause', async () => {
  await converse([callTools(remove('c1', 'locked')), answer('It is locked.')])
  await card('locked').getByRole('button', { name: 'Delete' }).click()
  await expect.element(page.getByText('It is locked.')).toBeVisible()
  await expect.element(page.getByText(/The note is locked\./).first()).toBeVisible()
  await expect
    .element(page.getByRole('button', { name: /Delete the note locked Failed/ }))
    .toBeVisible()
})

test('a message typed while a call asks is sent after the decision', async () => {
  const { transport } = await converse([
    callTools(remove('c1', 'old')),
    answer('Gone.'),
    answer('You are welcome.'),
  ])
  await expect.element(card('old')).toBeVisible()
  await page.getByRole('textbox', { name: 'Message' }).click()
  await userEvent.keyboard('Thanks{Enter}')
  await expect
    .element(page.getByRole('list', { name: 'Queued messages' }))
    .toMatchTextContent('Thanks')
  await card('old').getByRole('button', { name: 'Delete' }).click()
  await expect.element(page.getByText('You are welcome.')).toBeVisible()
  expect(transport.requests).toHaveLength(3)
})

test('a stop while a call asks ends the turn, and the call does not run', async () => {
  const { deleted } = await converse([callTools(remove('c1', 'old'))])
  await expect.element(card('old')).toBeVisible()
  await page.getByRole('button', { name: 'Stop' }).click()
  await expect.element(page.getByText('Stopped', { exact: true })).toBeVisible()
  await expect.element(page.getByText('Cancelled')).toBeVisible()
  expect(deleted).toEqual([])
})

test('an always settles what it covers, now and later, and the lines say so', async () => {
  const { transport } = await converse([
    callTools([rename('c1', 'notes/a.md'), rename('c2', 'notes/b.md')]),
    callTools([rename('c3', 'notes/c.md'), rename('c4', 'other/d.md')]),
    answer('All renamed.'),
  ])
  const first = page.getByRole('group', { name: 'Rename note notes/a.md' })
  await first.getByRole('button', { name: 'Always…' }).click()
  await expect.element(page.getByRole('radio', { name: 'When “path” is in notes/' })).toBeChecked()
  await page.getByRole('button', { name: 'Always allow' }).click()
  const outside = page.getByRole('group', { name: 'Rename note other/d.md' })
  await outside.getByRole('button', { name: 'Deny' }).click()
  await outside.getByRole('button', { name: 'Deny' }).last().click()
  await expect.element(page.getByText('All renamed.')).toBeVisible()
  const line = page.getByRole('button', {
    name: /^Rename note notes\/c\.md · Done Standing permission/,
  })
  await line.click()
  await expect.element(page.getByText(/^Allowed by the permission you gave on /)).toBeVisible()
  expect(transport.requests).toHaveLength(3)
})

test('an edited input is what runs; one that the tool refuses is not, and can be mended', async () => {
  await converse([callTools(rename('c1', 'a.md')), answer('Renamed.')])
  const asked = page.getByRole('group', { name: 'Rename note a.md' })
  await asked.getByRole('button', { name: 'Edit', exact: true }).click()
  const field = page.getByRole('textbox', { name: 'path' })
  const send = page.getByRole('button', { name: 'Approve with changes' })
  await field.fill('a name that is much too long.md')
  await send.click()
  await expect.element(field).toHaveAccessibleDescription('At most 20 characters.')
  await page.getByRole('button', { name: 'JSON' }).click()
  await send.click()
  const json = page.getByRole('textbox', { name: 'Input as JSON' })
  await expect.element(json).toHaveAccessibleDescription(/^The tool rejected this input: /)
  await page.getByRole('button', { name: 'Form', exact: true }).click()
  await field.fill('b.md')
  await send.click()
  await expect.element(page.getByText('Renamed.')).toBeVisible()
  await page.getByRole('button', { name: /^Rename note b\.md · Done You · Edited/ }).click()
  await expect.element(page.getByText('Renamed b.md')).toBeVisible()
  await expect.element(page.getByText('You changed this before it ran')).toBeVisible()
})

test('a question is answered by the person, and the answer reaches the model', async () => {
  const { transport } = await converse([
    callTools({ toolCallId: 'q1', toolName: 'ask_person', input: { question: 'Which?' } }),
    answer('Thank you.'),
  ])
  await page.getByRole('textbox', { name: 'Your answer' }).fill('The left one')
  await userEvent.keyboard('{Enter}')
  await expect.element(page.getByText('Thank you.')).toBeVisible()
  expect(JSON.stringify(transport.requests[1]?.messages)).toContain('The left one')
  await expect
    .element(page.getByRole('button', { name: /^Ask person · Answered by you/ }))
    .toBeVisible()
})

test('a question that is skipped is denied', async () => {
  await converse([
    callTools({ toolCallId: 'q1', toolName: 'ask_person', input: { question: 'Which?' } }),
    answer('Then I guess.'),
  ])
  await page.getByRole('button', { name: 'Skip' }).click()
  await expect.element(page.getByText('Then I guess.')).toBeVisible()
  await expect
    .element(page.getByRole('button', { name: /Denied: The question was skipped\./ }))
    .toBeVisible()
})

test('a call that runs is cancelled, and the turn goes on', async () => {
  await converse([
    callTools({ toolCallId: 'w1', toolName: 'wait', input: {} }),
    answer('I did not wait.'),
  ])
  await page.getByRole('button', { name: /^Wait/ }).hover()
  await page.getByRole('button', { name: /^Cancel/ }).click()
  await expect.element(page.getByText('I did not wait.')).toBeVisible()
  await expect.element(page.getByRole('button', { name: /^Wait · Cancelled / })).toBeVisible()
})
