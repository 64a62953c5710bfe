import { expect, test } from 'vitest'
import { rawChat, readEvents, userMessage } from './raw-chat.ts'
import type { TalkingModel } from './talking-model.ts'

/** What a mounted chat does that its test may change. */
export interface MountOptions {
  readonly onDisconnect?: 'abort'
}

/** A chat as it is mounted, and what its model says. */
export interface MountedChat extends Pick<TalkingModel, 'answer'> {
  readonly api: string
}

const question = [userMessage('Hi')]

/** Tests what a server that carries a chat has to pass on: a page that leaves, comes back or stops, and errors. */
export function checkMount(mount: (options: MountOptions) => Promise<MountedChat>): void {
  async function talk(options: MountOptions = {}) {
    const mounted = await mount(options)
    return { ...mounted, chat: rawChat(mounted.api) }
  }

  test('streams as the model speaks, and is taken up by a page that was reloaded', async () => {
    const { chat, answer } = await talk()
    const first = readEvents(await chat.post(question, { id: 'a/b' }))
    const spoken = await answer(1)
    spoken.say('One ')
    await first.until('One ')
    await first.leave()
    const second = readEvents(await chat.resume('a/b'))
    await second.until('One ')
    spoken.say('two.')
    spoken.finish()
    expect(await second.rest()).toMatch(/two\..*\[DONE\]/s)
  })

  test('notices that its page has gone', async () => {
    const { chat, answer } = await talk({ onDisconnect: 'abort' })
    const leave = new AbortController()
    const response = await chat.post(question, { signal: leave.signal })
    const spoken = await answer(1)
    leave.abort()
    await spoken.aborted
    await expect(response.text()).rejects.toThrow('abort')
  })

  test('lets a page that has come back send something else', async () => {
    const { chat, answer } = await talk()
    const first = readEvents(await chat.post(question))
    const spoken = await answer(1)
    spoken.say('One ')
    await first.until('One ')
    await first.leave()
    const second = readEvents(await chat.post([userMessage('Something else')]))
    await spoken.aborted
    const other = await answer(2)
    other.say('Else.')
    other.finish()
    expect(await second.rest()).toMatch(/Else\..*\[DONE\]/s)
  })

  test('is stopped for everybody who reads it', async () => {
    const { chat, answer } = await talk()
    const readers = [readEvents(await chat.post(question)), readEvents(await chat.resume())]
    const spoken = await answer(1)
    spoken.say('One ')
    for (const reader of readers) await reader.until('One ')
    expect((await chat.stop()).status).toBe(204)
    await spoken.aborted
    for (const reader of readers) expect(await reader.rest()).toMatch(/"abort".*\[DONE\]/s)
  })

  test('refuses what is wrong, and tells of what fails', async () => {
    const { api, chat, answer } = await talk()
    const text = await fetch(api, { method: 'POST', body: '{"messages":[]}' })
    expect(text.status).toBe(415)
    expect(await text.json()).toMatchObject({ error: { code: 'not-json' } })
    const empty = await chat.post([])
    expect(empty.status).toBe(400)
    expect(await empty.json()).toMatchObject({ error: { code: 'bad-messages' } })
    const nowhere = await fetch(`${api}/somewhere/else`)
    expect(nowhere.status).toBe(404)
    expect(await nowhere.json()).toMatchObject({ error: { code: 'not-found' } })
    expect((await chat.resume()).status).toBe(204)
    const failing = readEvents(await chat.post(question))
    ;(await answer(1)).fail(new Error('The provider said something secret.'))
    const events = await failing.rest()
    expect(events).toMatch(/"type":"error".*\[DONE\]/s)
    expect(events).not.toContain('secret')
  })
}
