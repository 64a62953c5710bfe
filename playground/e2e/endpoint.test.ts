import { afterAll, beforeAll, beforeEach, expect, inject, test } from 'vitest'
import {
  startOpenAIEndpoint,
  type EndpointAnswer,
  type EndpointRequest,
  type OpenAIEndpoint,
} from '../server/testing/openai-endpoint.ts'
import { previewPlayground } from './playground.ts'
import { setScene } from './scene.ts'
import { randomWord } from './visit.ts'

/** What the endpoint answers to the requests of the running test, in order. */
let answers: ((request: EndpointRequest) => EndpointAnswer)[] = []
let endpoint: OpenAIEndpoint

beforeAll(async () => {
  endpoint = await startOpenAIEndpoint((request) => {
    const answer = answers.shift()
    return answer ? answer(request) : { status: 500, message: 'Nothing is left to answer.' }
  })
})
afterAll(() => endpoint.close())
beforeEach(() => {
  answers = []
})

const key = randomWord()
const scene = setScene(() =>
  previewPlayground(inject('builtPage'), {
    ASSENT_BASE_URL: endpoint.url,
    ASSENT_MODEL: 'scripted',
    ASSENT_API_KEY: key,
  }),
)

/** Speaks of the last message, which is the result of a tool. */
const repeatResult = ({ messages }: EndpointRequest): EndpointAnswer => ({
  text: `It came back as: ${String(messages.at(-1)?.content)}`,
})

function lastMessage() {
  return endpoint.requests.at(-1)?.messages.at(-1)
}

test('names the model, and sends it the key and the tools of both sides', async () => {
  const here = await scene.visit()
  await here.page.getByRole('button', { name: /^scripted at 127\.0\.0\.1:\d+$/ }).waitFor()
  answers = [() => ({ text: 'Hello from the endpoint' })]
  await here.say('Hello')
  await here.until('completed')
  expect(await here.answer()).toContain('Hello from the endpoint')
  const request = endpoint.requests.at(-1)
  expect(request?.headers.authorization).toBe(`Bearer ${key}`)
  expect(request?.tools).toEqual(expect.arrayContaining(['write_note', 'send_report']))
})

test('an approved call of a tool in the page reaches the model with its output', async () => {
  const here = await scene.visit()
  const [id, title, content] = [randomWord(), randomWord(), randomWord()]
  answers = [
    () => ({ text: 'One moment.', calls: [{ id, name: 'write_note', input: { title, content } }] }),
    repeatResult,
  ]
  await here.say('Please note something')
  await here.until('paused')
  expect(await here.noteTitles()).not.toContain(title)
  await here.ask(`Write the note “${title}”`).getByRole('button', { name: 'Write' }).click()
  await here.note(title).getByText(content).waitFor()
  await here.until('completed')
  expect(lastMessage()).toMatchObject({ role: 'tool', tool_call_id: id })
  expect(JSON.parse(String(lastMessage()?.content))).toEqual({
    title,
    content,
    created: true,
    revision: 1,
  })
  expect(await here.answer()).toContain(`"content":"${content}"`)
})

test('a denied call of a tool in the page reaches the model with its reason', async () => {
  const here = await scene.visit()
  const [id, reason] = [randomWord(), randomWord()]
  answers = [
    () => ({ calls: [{ id, name: 'delete_note', input: { title: 'Ideas' } }] }),
    repeatResult,
  ]
  await here.say('Please delete something')
  await here.deny('Delete the note “Ideas” for good', reason)
  await here.until('completed')
  expect(await here.noteTitles()).toContain('Ideas')
  expect(lastMessage()).toMatchObject({ role: 'tool', tool_call_id: id })
  expect(lastMessage()?.content).toContain(reason)
  expect(await here.answer()).toContain(reason)
})

test('an approved and a denied call of tools on the server, in one step', async () => {
  const here = await scene.visit()
  const [send, remove, body, reason] = [randomWord(), randomWord(), randomWord(), randomWord()]
  const report = { to: 'Ada', subject: randomWord(), body }
  answers = [
    () => ({
      calls: [
        { id: send, name: 'send_report', input: report },
        { id: remove, name: 'delete_backup', input: { name: 'nightly-17' } },
      ],
    }),
    ({ messages }) => ({
      text: messages
        .flatMap(({ role, content }) => (role === 'tool' ? [content] : []))
        .join('\n\n'),
    }),
  ]
  await here.say('Please send and delete something')
  await here
    .ask(`Send the report “${report.subject}” to Ada`)
    .getByRole('button', { name: 'Send' })
    .click()
  await here.deny('Delete the backup “nightly-17” for good', reason)
  await here.until('completed')
  const results = endpoint.requests.at(-1)?.messages.filter(({ role }) => role === 'tool')
  expect(results?.map((result) => result.tool_call_id).toSorted()).toEqual(
    [send, remove].toSorted(),
  )
  const outcome = (id: string) => String(results?.find((r) => r.tool_call_id === id)?.content)
  const receipt = /r-[0-9a-f]{8}/.exec(outcome(send))?.[0]
  expect(receipt).toBeDefined()
  expect(outcome(remove)).toContain(reason)
  expect(await here.answer()).toContain(receipt)
  expect(await here.answer()).toContain(reason)
  const side = here.page.getByRole('complementary')
  await side.getByText(receipt!).waitFor()
  await here.page.getByRole('list', { name: 'Backups' }).getByText('nightly-17').waitFor()
})

test('a model that fails is tried again, and answers then', async () => {
  const here = await scene.visit()
  const word = randomWord()
  const fail = () => ({ status: 400, message: `No ${word} today` })
  answers = [fail, () => ({ text: `But now ${word}` })]
  await here.say('Hello')
  await here.until('error')
  await here.page
    .getByRole('region', { name: 'Conversation' })
    .getByText(`No ${word} today`)
    .waitFor()
  await here.page.getByRole('button', { name: 'Try again' }).click()
  await here.until('completed')
  expect(await here.answer()).toContain(`But now ${word}`)
})
