import type { Task } from '@assent/worker'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { ADA, BEN, GROUP, openHarness, type ChannelHarness } from '../test/channel-harness.ts'
import { CALL_LIMIT_MS } from './time-limits.ts'

let harness: ChannelHarness

beforeEach(async () => {
  harness = await openHarness()
})

afterEach(() => harness.close())

const texts = (chatId: number) => harness.api.shown(chatId).map(({ text }) => text)
const sends = () => harness.api.calls.filter(({ method }) => method === 'sendMessage')

/** A message of somebody, as the task that it became. */
async function taskOf(userId: number, text = 'hello', groupId?: number): Promise<Task> {
  const before = new Set((await harness.tasks()).map(({ id }) => id))
  const isNew = async () => (await harness.tasks()).find(({ id }) => !before.has(id))
  harness.api.person(userId, { ...(groupId !== undefined && { groupId }) }).says(text)
  await harness.until(async () => (await isNew()) !== undefined)
  return (await isNew())!
}

describe('a reply', () => {
  it('is formatted, and shows no page behind a link', async () => {
    const channel = await harness.start()
    const task = await taskOf(ADA)
    await channel.reply({
      task,
      text: '**Done**: see [it](https://a.example/)',
      mayBeRepeated: false,
    })
    expect(harness.last(ADA)).toMatchObject({
      text: 'Done: see it',
      entities: [
        { type: 'bold', offset: 0, length: 4 },
        { type: 'text_link', offset: 10, length: 2, url: 'https://a.example/' },
      ],
    })
    expect(sends()[0]?.payload['link_preview_options']).toEqual({ is_disabled: true })
  })

  it('is sent without formatting when Telegram does not take that', async () => {
    const channel = await harness.start()
    const task = await taskOf(ADA)
    harness.api.fail({ method: 'sendMessage', by: 400 })
    await channel.reply({ task, text: '**Done**', mayBeRepeated: false })
    expect(harness.last(ADA)).toMatchObject({ text: 'Done', entities: [] })
  })

  it('says below the text why it ends there', async () => {
    const channel = await harness.start()
    const task = await taskOf(ADA)
    await channel.reply({ task, text: 'Once **upon**', notice: 'length', mayBeRepeated: false })
    expect(harness.last(ADA)).toMatchObject({
      text: 'Once upon\n\nMy reply was cut off at the length limit. Send a message to continue.',
      entities: [{ type: 'bold', offset: 5, length: 4 }],
    })
  })

  it('says in place of a text that the model declined', async () => {
    const channel = await harness.start()
    const task = await taskOf(ADA)
    await channel.reply({ task, text: '', notice: 'refusal', mayBeRepeated: false })
    expect(texts(ADA)).toEqual(['The model declined to answer this.'])
  })

  it('says so when there is nothing to say', async () => {
    const channel = await harness.start()
    await channel.reply({ task: await taskOf(ADA), text: ' \n', mayBeRepeated: false })
    expect(texts(ADA)).toEqual(['I have nothing to add.'])
  })

  it('that is long comes in parts, in order, with its code in blocks', async () => {
    const channel = await harness.start()
    const task = await taskOf(ADA)
    const line = (at: number) => `const line${at} = '${'x'.repeat(60)}'`
    const code = Array.from({ length: 120 }, (_, at) => line(at)).join('\n')
    await channel.reply({
      task,
      text: `Before\n\n\`\`\`ts\n${code}\n\`\`\`\n\nAfter`,
      mayBeRepeated: false,
    })
    const parts = harness.api.shown(ADA)
    expect(parts.length).toBeGreaterThan(2)
    expect(parts.map(({ text }) => text).join('\n')).toBe(`Before\n\n${code}\n\nAfter`)
    for (const { entities } of parts) {
      expect(entities).toEqual([expect.objectContaining({ type: 'pre', language: 'ts' })])
    }
  })

  it('quotes its message when others came after it, and in groups', async () => {
    const channel = await harness.start()
    const first = await taskOf(ADA, 'one')
    await channel.reply({ task: first, text: 'alone', mayBeRepeated: false })
    const second = await taskOf(ADA, 'two')
    await taskOf(ADA, 'three')
    await channel.reply({ task: second, text: 'with others', mayBeRepeated: false })
    const inGroup = await taskOf(BEN, '@helper_bot four', GROUP)
    await channel.reply({ task: inGroup, text: 'in a group', mayBeRepeated: false })
    const quoted = [...harness.api.shown(ADA), ...harness.api.shown(GROUP)].map(
      ({ repliesTo }) => repliesTo,
    )
    const messageOf = ({ replyTo }: Task) => (replyTo as { message: number }).message
    expect(quoted).toEqual([undefined, messageOf(second), messageOf(inGroup)])
  })

  it('that may be out is sent on from where it stopped, with a mark on what may come twice', async () => {
    const { api, clock } = harness
    const channel = await harness.start()
    const task = await taskOf(ADA)
    const text = ['a', 'b', 'c'].map((letter) => letter.repeat(3_700)).join('\n\n')
    // The process ends while the second part is on its way, which arrives all the same.
    api.fail({ method: 'sendMessage', by: 'hold', after: 1 })
    const reply = channel
      .reply({ task, text, mayBeRepeated: false })
      .catch((error: unknown) => error)
    await harness.until(() => api.heldCalls() === 1)
    const stopped = channel.stop({ graceMs: 10 })
    await harness.until(() => clock.waits().includes(10))
    clock.advance(10)
    await stopped
    expect(await reply).toMatchObject({ name: 'ReplyError', retryable: true, isUnsent: false })
    api.release()
    await harness.until(() => texts(ADA).length === 2)
    const next = await harness.start()
    await next.reply({ task, text, mayBeRepeated: true })
    expect(texts(ADA).map((part) => part.replace(/(a|b|c)\1{99,}/, '$1…'))).toEqual([
      'a…',
      'b…',
      '(This may reach you a second time.)\nb…',
      'c…',
    ])
  })

  it('that surely did not go out is no repetition', async () => {
    const channel = await harness.start()
    const task = await taskOf(ADA)
    harness.api.flood(ADA, 120)
    const failed = await channel
      .reply({ task, text: 'Done', mayBeRepeated: false })
      .catch((error: unknown) => error)
    expect(failed).toMatchObject({ name: 'ReplyError', retryable: true, isUnsent: true })
    expect(failed).toMatchObject({ retryAfterMs: 120_000 })
    harness.clock.advance(120_000)
    await channel.reply({ task, text: 'Done', mayBeRepeated: true })
    expect(texts(ADA)).toEqual(['Done'])
  })

  it('waits as long as Telegram says, with all that follows in its chat, while others go on', async () => {
    const { api, clock } = harness
    const channel = await harness.start()
    const [ada, ben] = [await taskOf(ADA), await taskOf(BEN)]
    api.flood(ADA, 20)
    const replies = ['one', 'two'].map((text) =>
      channel.reply({ task: ada, text, mayBeRepeated: false }),
    )
    await harness.until(() => clock.waits().includes(20_000))
    await channel.reply({ task: ben, text: 'for Ben', mayBeRepeated: false })
    expect(texts(ADA)).toEqual([])
    clock.advance(19_999)
    expect(clock.waits()[0]).toBe(1)
    clock.advance(1)
    await Promise.all(replies)
    expect(texts(ADA)).toEqual(['one', 'two'])
    expect(api.impatientCalls).toEqual([])
  })

  it('is tried again after failures of the network and of Telegram, and marked when it may be there', async () => {
    const { api } = harness
    const channel = await harness.start()
    const task = await taskOf(ADA)
    api.fail({ method: 'sendMessage', by: 'cut-after' })
    const reply = channel.reply({ task, text: 'Done', mayBeRepeated: false })
    await harness.passBackoff()
    await reply
    expect(texts(ADA)).toEqual(['Done', '(This may reach you a second time.)\nDone'])
  })

  it.each([
    ['half-body', ['Done', '(This may reach you a second time.)\nDone']],
    ['half-body-cut', ['Done', '(This may reach you a second time.)\nDone']],
    [401, ['Done']],
    [404, ['Done']],
  ] as const)('gets through when a call ends by %s', async (by, shown) => {
    const { api } = harness
    const channel = await harness.start()
    const task = await taskOf(ADA)
    api.fail({ method: 'sendMessage', by })
    const reply = channel.reply({ task, text: 'Done', mayBeRepeated: false })
    if (by === 'half-body') {
      await harness.until(() => api.heldCalls() === 1)
      harness.timeOut(CALL_LIMIT_MS)
    }
    await harness.passBackoff()
    await reply
    expect(texts(ADA)).toEqual(shown)
  })

  it('that fails again and again is left to another attempt of the worker', async () => {
    const { api } = harness
    const channel = await harness.start()
    const task = await taskOf(ADA)
    api.fail({ method: 'sendMessage', by: 502, times: 5 })
    const reply = channel
      .reply({ task, text: 'Done', mayBeRepeated: false })
      .catch((error: unknown) => error)
    for (let tries = 1; tries < 5; tries++) await harness.passBackoff()
    expect(await reply).toMatchObject({ name: 'ReplyError', retryable: true })
    expect(String(await reply)).not.toContain(api.token)
    await channel.reply({ task, text: 'Done', mayBeRepeated: true })
    expect(texts(ADA)).toEqual(['(This may reach you a second time.)\nDone'])
  })

  it('that comes late says so, once, and only when that is long ago', async () => {
    const { clock } = harness
    const channel = await harness.start()
    const [one, two] = [await taskOf(ADA), await taskOf(ADA)]
    clock.advance(600_000)
    const text = ['a', 'b'].map((letter) => letter.repeat(3_700)).join('\n\n')
    await channel.reply({ task: one, text, mayBeRepeated: true, waitedMs: 600_000 })
    await channel.reply({ task: two, text: 'Done', mayBeRepeated: false, waitedMs: 59_999 })
    expect(texts(ADA).map((part) => part.replace(/(a|b)\1{99,}/, '$1…'))).toEqual([
      "I finished this at 21 Nov 2026, 09:00 UTC, but couldn't tell you until now.\na…",
      'b…',
      'Done',
    ])
  })

  it.each(['[a]: https://a.example', '\u200b'])(
    'of which nothing is shown says so: %s',
    async (text) => {
      const channel = await harness.start()
      const task = await taskOf(ADA)
      await channel.reply({ task, text, mayBeRepeated: false })
      expect(texts(ADA)).toEqual(['My answer has nothing that can be shown here.'])
    },
  )

  it('to somebody who has blocked the bot is given up', async () => {
    const channel = await harness.start()
    const task = await taskOf(ADA)
    harness.api.block(ADA)
    const failed = await channel
      .reply({ task, text: 'Done', mayBeRepeated: false })
      .catch((error: unknown) => error)
    expect(failed).toMatchObject({ name: 'ReplyError', retryable: false, isUnsent: true })
    expect(String(failed)).not.toContain(harness.api.token)
    const claim = await harness.claim()
    await harness.inbox.fail(claim, { code: 'reply_failed', message: String(failed) }, undefined)
    await harness.pass(60_000)
    await harness.pass(60_000)
    expect(harness.errors).toEqual([])
  })

  it('to a task of something else is refused', async () => {
    const channel = await harness.start()
    const task = await harness.inbox.add({
      conversationId: 'other',
      input: 'x',
      replyTo: { bot: 1 },
    })
    await expect(channel.reply({ task, text: 'x', mayBeRepeated: false })).rejects.toMatchObject({
      code: 'not_ours',
    })
  })

  it('that is not waited for any more stops where it is', async () => {
    const { api, clock } = harness
    const channel = await harness.start()
    const task = await taskOf(ADA)
    const left = new AbortController()
    api.flood(ADA, 20)
    const reply = channel
      .reply({ task, text: 'Done', mayBeRepeated: false, abortSignal: left.signal })
      .catch((error: unknown) => error)
    await harness.until(() => clock.waits().includes(20_000))
    left.abort()
    expect(await reply).toMatchObject({ name: 'ReplyError', isUnsent: true })
    expect(texts(ADA)).toEqual([])
  })
})

describe('beside replies', () => {
  it('a file goes to the chat of a conversation', async () => {
    const channel = await harness.start()
    const { conversationId } = await taskOf(ADA)
    const bytes = new Uint8Array([1, 2, 3])
    harness.api.fail({ method: 'sendDocument', by: 'cut-before' })
    const sent = channel.sendFile(conversationId, { name: 'a.bin', bytes, caption: 'Here' })
    await harness.passBackoff()
    await sent
    expect(harness.last(ADA)).toMatchObject({ text: 'Here', document: { name: 'a.bin', bytes } })
    await expect(channel.sendFile('other', { name: 'a', bytes })).rejects.toMatchObject({
      code: 'not_ours',
    })
  })

  it('a task that failed for good is told of once, kindly', async () => {
    await harness.start()
    await taskOf(ADA)
    const claim = await harness.claim()
    await harness.inbox.fail(
      claim,
      { code: 'http_status', message: 'The model is not there.' },
      undefined,
    )
    await harness.until(() => texts(ADA).length === 1)
    expect(texts(ADA)).toEqual(["I couldn't finish this. The model is not there."])
    await harness.channel.stop()
    await harness.start()
    await harness.pass(60_000)
    await taskOf(ADA, 'again')
    expect(texts(ADA)).toHaveLength(1)
  })

  it('the chat shows that the assistant is at work, for as long as it is', async () => {
    const { api } = harness
    await harness.start()
    await taskOf(ADA)
    const typing = () => api.calls.filter(({ method }) => method === 'sendChatAction')
    const claim = await harness.claim()
    await harness.inbox.progress(claim, 'model_round')
    await harness.until(() => typing().length === 1)
    await harness.pass(60_000)
    await harness.until(() => typing().length === 2)
    expect(typing()[0]?.payload).toMatchObject({ chat_id: ADA, action: 'typing' })
    await harness.inbox.complete(claim)
    await harness.pass(60_000)
    await harness.pass(60_000)
    expect(typing()).toHaveLength(2)
  })
})
