import { jsonSchema, tool } from 'ai'
import { describe, expect, test, vi } from 'vitest'
import { answered, ask, asked, decided, errorOf, saidIn } from '../../test/asking-server.ts'
import { rawChat, readEvents, userMessage } from '../../test/raw-chat.ts'
import { scriptedModel } from '../../test/scripted-model.ts'
import { serveChat } from '../../test/serve-chat.ts'
import { talkingModel } from '../../test/talking-model.ts'
import type { ChatHandlerOptions } from './chat-options.ts'

const question = [userMessage('Say something')]

async function startTalking(more: Partial<ChatHandlerOptions> = {}) {
  const { model, answer } = talkingModel()
  const served = await serveChat({ model, ...more })
  return { ...served, model, answer, chat: rawChat(served.api) }
}

/** A server whose tool runs until the test says what comes of it. */
async function startWorking() {
  const begun = Promise.withResolvers<AbortSignal>()
  const receipt = Promise.withResolvers<string>()
  let runs = 0
  const execute = (_input: unknown, { abortSignal }: { abortSignal?: AbortSignal }) => {
    runs += 1
    if (abortSignal) begun.resolve(abortSignal)
    return receipt.promise
  }
  const inputSchema = jsonSchema<{ to: string }>({ type: 'object' })
  const model = scriptedModel([ask, 'First.', 'Second.', 'Third.'])
  const send = tool({ inputSchema, execute })
  const served = await serveChat({
    model,
    tools: { send },
    toolApproval: { send: 'user-approval' },
  })
  const chat = rawChat(served.api)
  const approved = decided(await asked({ chat }), true)
  return { ...served, chat, approved, begun: begun.promise, receipt, runs: () => runs }
}

describe('a request of a conversation that is being answered', () => {
  test('is given that answer when it is the same, by its name', async () => {
    const { chat, answer, model } = await startTalking()
    const named = { body: { requestId: 'turn/1' } }
    const first = readEvents(await chat.post(question, named))
    const spoken = await answer(1)
    spoken.say('One ')
    await first.until('One ')
    const again = readEvents(await chat.post(question, named))
    spoken.say('two.')
    spoken.finish()
    const whole = await first.rest()
    expect(await again.rest()).toBe(whole)
    // Also when it has ended meanwhile.
    expect(await readEvents(await chat.post(question, named)).rest()).toBe(whole)
    expect(model.doStreamCalls).toHaveLength(1)
  })

  test('is given that answer when it says the same, unless it asks for another one', async () => {
    const { chat, answer, model } = await startTalking({ takeOverMs: 20 })
    const first = readEvents(await chat.post(question))
    const spoken = await answer(1)
    spoken.say('One ')
    await first.until('One ')
    const again = readEvents(await chat.post(question))
    await again.until('One ')
    const regenerate = { body: { trigger: 'regenerate-message' } }
    expect((await chat.post(question, regenerate)).status).toBe(409)
    spoken.finish()
    await Promise.all([first.rest(), again.rest()])
    // The same words, once more: they are meant for a new answer.
    const next = readEvents(await chat.post(question))
    ;(await answer(2)).finish()
    await next.rest()
    expect(model.doStreamCalls).toHaveLength(2)
  })

  test('takes its place when it names it, also while somebody reads it, and not by another name', async () => {
    const { chat, answer } = await startTalking({ takeOverMs: 20 })
    const first = readEvents(await chat.post(question, { body: { requestId: '1' } }))
    const spoken = await answer(1)
    spoken.say('One ')
    await first.until('One ')
    const else_ = [userMessage('Something else')]
    const foreign = { requestId: '2', supersedes: ['another'] }
    expect((await chat.post(else_, { body: foreign })).status).toBe(409)
    const own = { requestId: '2', supersedes: ['0', '1'] }
    const second = readEvents(await chat.post(else_, { body: own }))
    await spoken.aborted
    expect(await first.rest()).toMatch(/"abort".*\[DONE\]/s)
    ;(await answer(2)).finish()
    expect(await second.rest()).toContain('"finish"')
  })

  test.each([
    { requestId: '' },
    { requestId: 7 },
    { requestId: 'x'.repeat(513) },
    { supersedes: 'all' },
    { supersedes: [''] },
    { supersedes: Array.from({ length: 17 }, String) },
  ])('is refused with a name that is none: %o', async (body) => {
    const { chat } = await startTalking()
    const response = await chat.post(question, { body })
    expect(await errorOf(response)).toMatchObject({ status: 400, code: 'bad-body' })
  })
})

describe('a tool that runs when its page leaves', () => {
  test('runs once, and its outcome comes to the page that is reloaded and sends again', async () => {
    const { chat, approved, begun, receipt, runs } = await startWorking()
    const first = readEvents(await chat.post(approved))
    await begun
    await first.leave()
    const again = readEvents(await chat.post(approved))
    receipt.resolve('receipt 1')
    const events = await again.rest()
    expect(events).toContain('receipt 1')
    expect(events).toContain('First.')
    expect(runs()).toBe(1)
  })

  test('runs to its end when the page comes back with something else, and the ledger has what came of it', async () => {
    const { chat, approved, begun, receipt, runs } = await startWorking()
    const first = readEvents(await chat.post(approved))
    const signal = await begun
    await first.leave()
    const other = readEvents(await chat.post([userMessage('Something else')]))
    await other.rest()
    expect(signal.aborted).toBe(false)
    receipt.resolve('receipt 1')
    // The decision is sent again until it is answered.
    const messages = await answered(approved, await chat.post(approved))
    const call = expect.objectContaining({ output: 'receipt 1' })
    expect(messages.at(-1)).toMatchObject({ parts: expect.arrayContaining([call]) })
    expect(runs()).toBe(1)
  })

  test('is told to stop when somebody stops the answer', async () => {
    const { chat, approved, begun, receipt } = await startWorking()
    readEvents(await chat.post(approved))
    const signal = await begun
    await chat.stop()
    await vi.waitFor(() => expect(signal.aborted).toBe(true))
    receipt.reject(new Error('stopped'))
    const said = saidIn(await readEvents(await chat.post(approved)).rest())
    expect(said).toEqual(['unknown', 'tool-output-error'])
  })
})
