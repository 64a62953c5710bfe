import { afterEach, describe, expect, it, vi } from 'vitest'
import { fakeBrowser, soon } from '../../test/sharing/fake-browser.ts'
import { openTab, type OpenTab, type World } from '../../test/sharing/open-tab.ts'
import { textOf } from '../message/message-input.ts'
import { memoryStorage, type MemoryStorage } from '../storage/memory-storage.ts'
import { answer, callTools } from '../testing/index.ts'

const tabs: OpenTab[] = []

afterEach(() => {
  for (const { engine } of tabs.splice(0)) engine.dispose()
})

function world(more: Partial<World> = {}): World {
  return { browser: fakeBrowser(soon), disk: memoryStorage(), effects: [], ...more }
}

function open(...args: Parameters<typeof openTab>): OpenTab {
  const tab = openTab(...args)
  tabs.push(tab)
  return tab
}

/** A holder and a mirror, which both know what they are. */
async function openTwo(
  where: World,
  script: Parameters<typeof openTab>[1] = [],
  mirrorScript: Parameters<typeof openTab>[1] = [],
): Promise<[OpenTab, OpenTab]> {
  const holder = open(where, script)
  await holder.engine.ready
  const mirror = open(where, mirrorScript)
  await mirror.engine.ready
  return [holder, mirror]
}

const said = ({ engine }: OpenTab) => engine.getState().messages.map(textOf)
const write = (toolCallId: string, path = 'a.txt') => ({
  toolCallId,
  toolName: 'write',
  input: { path },
})
const stands = (state: string) => (engine: { getState(): { requestState: string } }) =>
  engine.getState().requestState === state

describe('a conversation that is open in two tabs', () => {
  it('is held by the first', async () => {
    const [holder, mirror] = await openTwo(world())
    expect([holder.engine.role(), mirror.engine.role()]).toEqual(['holder', 'mirror'])
  })

  it('looks the same in both while an answer streams, and keeps what did not change', async () => {
    const [holder, mirror] = await openTwo(world(), [answer('one')])
    await holder.engine.sendMessage('first')
    await mirror.until(stands('completed'))
    expect(mirror.engine.getState()).toEqual(holder.engine.getState())
    const before = mirror.engine.getState()
    const stream = holder.transport.hold()
    const outcome = holder.engine.sendMessage('second')
    void stream.push({ type: 'start' }, { type: 'text-start', id: 't' })
    for (const delta of ['a', 'b', 'c']) {
      void stream.push({ type: 'text-delta', id: 't', delta })
      await mirror.until(({ getState }) => textOf(getState().messages.at(-1)!).endsWith(delta))
    }
    expect(said(mirror)).toEqual(['first', 'one', 'second', 'abc'])
    expect(mirror.engine.getState().messages[1]).toBe(before.messages[1])
    expect(mirror.engine.getState().processingState).toBe('completing')
    stream.end()
    await outcome
  })

  it('shows what is begun in one in the other, whoever holds it', async () => {
    const [holder, mirror] = await openTwo(world(), [callTools(write('1'))])
    await holder.engine.sendMessage('go')
    await mirror.until(stands('paused'))
    const about = { messageId: holder.engine.getState().messageIds.at(-1)!, toolCallId: '1' }
    const before = mirror.engine.getState()
    mirror.engine.setDraft('deny', 'because', about)
    mirror.engine.setDraft('composer', 'and then')
    await holder.until(({ getState }) => getState().drafts.length === 2)
    expect(holder.engine.getState().drafts[0]).toEqual({ key: 'deny', value: 'because', about })
    await mirror.until(({ getState }) => getState().drafts.length === 2)
    expect(mirror.engine.getState().messages).toBe(before.messages)
    expect(mirror.engine.getState().messageIds).toBe(before.messageIds)
    expect(() => mirror.engine.setDraft('', 'x')).toThrow(
      expect.objectContaining({ code: 'invalid_argument' }),
    )
    holder.engine.setDraft('composer', 'and now')
    await mirror.until(({ getState }) => getState().drafts[1]?.value === 'and now')
    await mirror.resume({ toolCallId: '1', outcome: 'no' })
    await mirror.until(({ getState }) => getState().drafts.length === 1)
  })

  it('keeps what was begun in a tab when the one that holds it ends', async () => {
    const [holder, mirror] = await openTwo(world())
    mirror.engine.setDraft('composer', 'and then')
    holder.engine.setDraft('other', 'last words')
    holder.engine.dispose()
    holder.engine.setDraft('other', 'very last words')
    await mirror.until(
      ({ role, getState }) => role() === 'holder' && getState().drafts.length === 2,
    )
    expect(mirror.engine.getState().drafts).toEqual(
      expect.arrayContaining([
        { key: 'composer', value: 'and then' },
        { key: 'other', value: 'very last words' },
      ]),
    )
  })

  it('tells subscribers of a message only of that', async () => {
    const [holder, mirror] = await openTwo(world(), [answer('one'), answer('two')])
    await holder.engine.sendMessage('first')
    await mirror.until(stands('completed'))
    const { messageIds } = mirror.engine.getState()
    const told: string[] = []
    for (const id of messageIds) mirror.engine.subscribeMessage(id, () => told.push(id))
    await holder.engine.sendMessage('second')
    await mirror.until(({ getState }) => getState().messages.length === 4)
    await mirror.until(stands('completed'))
    expect(told).toEqual([])
    expect(mirror.engine.getMessage(messageIds[1]!)).toBe(mirror.engine.getState().messages[1])
  })

  it('posts at most one message per publication, and none while nobody listens', async () => {
    const where = world()
    const holder = open(where, [answer(['a', 'b', 'c', 'd']), answer(['e', 'f', 'g'])])
    await holder.engine.ready
    const alone = holder.tab.posted.length
    await holder.engine.sendMessage('first')
    expect(holder.tab.posted.slice(alone)).toEqual([])
    const mirror = open(where)
    await mirror.engine.ready
    let publications = 0
    holder.engine.subscribe(() => publications++)
    const before = holder.tab.posted.length
    await holder.engine.sendMessage('second')
    expect(holder.tab.posted.length - before).toBeLessThanOrEqual(publications)
    expect(holder.tab.posted.length - before).toBeGreaterThan(1)
  })

  it('is acted on from both: a message sent in the mirror is answered by the holder', async () => {
    const [holder, mirror] = await openTwo(world(), [answer('yes')])
    expect(await mirror.engine.sendMessage('there?')).toEqual({
      turnId: holder.engine.getState().turn?.id,
      requestState: 'completed',
      finishReason: 'stop',
    })
    expect(said(mirror)).toEqual(['there?', 'yes'])
    expect(holder.transport.requests).toHaveLength(1)
    expect(mirror.transport.requests).toHaveLength(0)
  })

  it('brings errors back as what they are', async () => {
    const [, mirror] = await openTwo(world(), [new Error('down')])
    const outcome = await mirror.engine.sendMessage('hello')
    expect(outcome).toMatchObject({ requestState: 'error', error: { name: 'EngineError' } })
    expect(outcome.error).toEqual(mirror.engine.getState().error)
    expect(await mirror.engine.runPluginCommand('none', 'such')).toMatchObject({
      success: false,
      error: { code: 'unknown_plugin', details: { plugin: 'none' } },
    })
    expect(await mirror.engine.sendMessage('')).toMatchObject({
      error: { code: 'invalid_argument' },
    })
  })

  it('runs a call once that both approve, and says where it was decided', async () => {
    const where = world()
    const [holder, mirror] = await openTwo(where, [callTools(write('1')), answer('done')])
    await holder.engine.sendMessage('go')
    await mirror.until(stands('paused'))
    const [ref] = mirror.engine.getState().turn!.pauseReason!.toolCalls!
    expect(mirror.engine.isDecidedElsewhere(ref!)).toBe(false)
    const decided = await mirror.resume({ toolCallId: '1' })
    expect(decided).toMatchObject({ success: true })
    expect(holder.engine.isDecidedElsewhere(ref!)).toBe(true)
    expect(mirror.engine.isDecidedElsewhere(ref!)).toBe(false)
    expect(await holder.resume({ toolCallId: '1', outcome: 'no' })).toMatchObject({
      success: false,
      error: { code: 'not_awaiting_approval' },
    })
    await mirror.until(stands('completed'))
    expect(where.effects).toEqual(['tab 1: a.txt'])
  })

  it('refuses a late click in the mirror on a call that was answered elsewhere', async () => {
    const where = world()
    const [holder, mirror] = await openTwo(where, [callTools(write('1')), answer('done')])
    await holder.engine.sendMessage('go')
    await mirror.until(stands('paused'))
    const [ref] = mirror.engine.getState().turn!.pauseReason!.toolCalls!
    const [first, late] = await Promise.all([
      holder.resume({ toolCallId: '1', outcome: 'no' }),
      mirror.resume({ toolCallId: '1' }),
    ])
    expect(first).toMatchObject({ success: true })
    expect(late).toMatchObject({
      success: false,
      error: { code: expect.stringMatching(/not_awaiting_approval|busy/) },
    })
    await mirror.until(stands('completed'))
    expect(mirror.engine.isDecidedElsewhere(ref!)).toBe(true)
    expect(where.effects).toEqual([])
  })

  it('queues what the mirror sends meanwhile, and lets it be changed there', async () => {
    const [holder, mirror] = await openTwo(world(), [callTools(write('1')), answer('done')])
    await holder.engine.sendMessage('go')
    await mirror.until(stands('paused'))
    const waits = mirror.engine.sendMessage('and then')
    await mirror.until(({ getState }) => getState().queue.length === 1)
    const { id } = mirror.engine.getState().queue[0]!
    mirror.engine.editQueued(id, 'and now')
    await mirror.until(({ getState }) => textOf(getState().queue[0]!.message) === 'and now')
    void mirror.engine.sendMessage('and later')
    await mirror.until(({ getState }) => getState().queue.length === 2)
    mirror.engine.moveQueued(id, 1)
    await mirror.until(({ getState }) => getState().queue[1]?.id === id)
    expect(() => mirror.engine.moveQueued(id, 0.5)).toThrow(
      expect.objectContaining({ code: 'invalid_argument' }),
    )
    holder.engine.moveQueued(id, 0)
    expect(holder.engine.getState().queue[0]?.id).toBe(id)
    mirror.engine.holdQueued(id, true)
    await mirror.until(({ getState }) => getState().queue[0]?.held === true)
    holder.engine.holdQueued(id, false)
    expect(holder.engine.getState().queue[0]?.held).toBe(false)
    mirror.engine.removeQueued(id)
    expect(await waits).toMatchObject({ error: { code: 'removed' } })
    expect(holder.engine.getState().queue).toHaveLength(1)
    expect(() => mirror.engine.removeQueued(id)).toThrow(
      expect.objectContaining({ code: 'unknown_message' }),
    )
  })

  it('is stopped, and given other messages, from the mirror', async () => {
    const [holder, mirror] = await openTwo(world(), [callTools(write('1')), answer('done')])
    await holder.engine.sendMessage('go')
    await mirror.until(stands('paused'))
    mirror.engine.setMessages([])
    await mirror.engine.stopAll()
    expect(holder.engine.getState()).toMatchObject({ requestState: 'aborted' })
    expect(holder.engine.getState().messages).toHaveLength(2)
    mirror.engine.setMessages((messages) => messages.slice(0, 1))
    await mirror.until(({ getState }) => getState().messages.length === 1)
    expect(holder.engine.getState()).toMatchObject({ requestState: 'idle' })
  })

  it('is aborted from the mirror', async () => {
    const [holder, mirror] = await openTwo(world())
    const stream = holder.transport.hold({ unanswered: true })
    const outcome = mirror.engine.sendMessage('go')
    await holder.transport.requested(1)
    await mirror.engine.abort()
    expect(mirror.engine.getState().requestState).toBe('aborted')
    expect(await outcome).toMatchObject({ requestState: 'aborted' })
    await stream.cancelled
  })

  it('tells the mirror what was sent while it was being restored', async () => {
    const where = world()
    const holder = open(where, [answer('yes')])
    const mirror = open(where)
    const outcome = mirror.engine.sendMessage('early')
    expect(await outcome).toMatchObject({ requestState: 'completed' })
    expect(holder.transport.requests).toHaveLength(1)
    expect(said(mirror)).toEqual(['early', 'yes'])
  })
})

describe('what a mirror sends', () => {
  it('may be a proxy, as of a reactive framework', async () => {
    const [, mirror] = await openTwo(world(), [answer('yes')])
    const parts = new Proxy([new Proxy({ type: 'text' as const, text: 'hello' }, {})], {})
    expect(await mirror.engine.sendMessage({ parts })).toMatchObject({ requestState: 'completed' })
    expect(said(mirror)).toEqual(['hello', 'yes'])
  })

  it('answers with an error when what a command came to cannot be sent', async () => {
    const where = world()
    const ran: string[] = []
    const plugin = {
      name: 'odd',
      commands: { make: () => (ran.push('made'), { weak: new WeakMap() }) },
    }
    const holder = open(where, [], { with: [plugin] })
    await holder.engine.ready
    const mirror = open(where, [], { with: [plugin] })
    await mirror.engine.ready
    expect(await mirror.engine.runPluginCommand('odd', 'make')).toMatchObject({
      success: false,
      error: { code: 'command_failed' },
    })
    expect(ran).toEqual(['made'])
    const payload = { weak: new WeakMap() }
    expect(await mirror.engine.runPluginCommand('odd', 'make', payload)).toMatchObject({
      success: false,
      error: { code: 'invalid_argument' },
    })
    expect(ran).toEqual(['made'])
  })
})

describe('when the holder’s tab dies', () => {
  it('another one takes over, and nothing flashes', async () => {
    const where = world()
    const [holder, mirror] = await openTwo(where, [callTools(write('1'))], [answer('done')])
    await holder.engine.sendMessage('go')
    await mirror.until(stands('paused'))
    const before = mirror.engine.getState()
    const seen: unknown[] = []
    mirror.engine.subscribe(() => {
      const { requestState, messages } = mirror.engine.getState()
      seen.push([requestState, messages.length])
    })
    let changes = 0
    mirror.engine.subscribeMessage(before.messageIds[1]!, () => changes++)
    holder.tab.kill()
    await mirror.until(({ role }) => role() === 'holder')
    expect(new Set(seen.map(String))).toEqual(new Set(['paused,2']))
    expect(changes).toBe(0)
    expect(mirror.engine.getState().messages).toEqual(before.messages)
    expect(mirror.engine.getState().messages[1]).toBe(before.messages[1])
    expect(await mirror.resume({ toolCallId: '1' })).toMatchObject({ success: true })
    await mirror.until(stands('completed'))
    expect(where.effects).toEqual(['tab 2: a.txt'])
  })

  it('a call that ran is shown as interrupted, and does not run again', async () => {
    const where = world({ execute: () => new Promise(() => undefined) })
    const [holder, mirror] = await openTwo(where, [callTools(write('1'))], [answer('done')])
    await holder.engine.sendMessage('go')
    await mirror.resume({ toolCallId: '1' })
    await mirror.until(() => where.effects.length === 1)
    holder.tab.kill()
    await mirror.until(stands('error'))
    expect(mirror.calls()).toMatchObject([
      { state: 'output-error', toolMetadata: { assent: { ended: 'interrupted' } } },
    ])
    expect(mirror.engine.getState().error?.code).toBe('interrupted')
    expect(where.effects).toEqual(['tab 1: a.txt'])
  })

  it('a message whose turn it had begun is not sent again, and its outcome is told', async () => {
    const where = world()
    const [holder, mirror] = await openTwo(where)
    const stream = holder.transport.hold()
    const outcome = mirror.engine.sendMessage('go')
    await holder.transport.requested(1)
    void stream.push({ type: 'start' }, { type: 'text-start', id: 't' })
    await mirror.until(({ getState }) => getState().messages.length === 2)
    holder.tab.kill()
    expect(await outcome).toMatchObject({
      requestState: 'error',
      error: { code: 'interrupted' },
    })
    expect(said(mirror)[0]).toEqual('go')
    expect(mirror.transport.requests).toHaveLength(0)
  })

  it('a message that it had not got is sent by the next', async () => {
    const where = world()
    const [holder, mirror] = await openTwo(where, [], [answer('yes')])
    const outcome = mirror.engine.sendMessage('go')
    holder.tab.kill()
    expect(await outcome).toMatchObject({ requestState: 'completed' })
    expect(said(mirror)).toEqual(['go', 'yes'])
  })

  it('a decision that it had not got is carried out by the next', async () => {
    const where = world()
    const [holder, mirror] = await openTwo(where, [callTools(write('1'))], [answer('done')])
    await holder.engine.sendMessage('go')
    await mirror.until(stands('paused'))
    const decided = mirror.resume({ toolCallId: '1' })
    holder.tab.kill()
    expect(await decided).toMatchObject({ success: true, result: { toolCallId: '1' } })
    await mirror.until(stands('completed'))
    expect(where.effects).toEqual(['tab 2: a.txt'])
  })

  it('says of other calls that nobody knows whether they were carried out', async () => {
    const where = world()
    const [holder, mirror] = await openTwo(where, [answer('one')])
    await holder.engine.sendMessage('go')
    await mirror.until(stands('completed'))
    const calls = [mirror.engine.regenerate(), mirror.engine.retry(), mirror.engine.reconnect()]
    const cancelled = mirror.engine.runPluginCommand('tool', 'cancelToolCall', { toolCallId: '1' })
    holder.tab.kill()
    for (const outcome of await Promise.all(calls)) {
      expect(outcome.error).toMatchObject({ code: 'holder_lost', retryable: true })
    }
    expect(await cancelled).toMatchObject({ success: false, error: { code: 'holder_lost' } })
    expect(said(mirror)).toEqual(['go', 'one'])
  })

  it('a third tab mirrors the next', async () => {
    const where = world()
    const [holder, mirror] = await openTwo(where, [callTools(write('1'))], [answer('done')])
    const third = open(where)
    await third.engine.ready
    await holder.engine.sendMessage('go')
    await third.until(stands('paused'))
    holder.tab.kill()
    expect(await third.resume({ toolCallId: '1' })).toMatchObject({ success: true })
    await third.until(stands('completed'))
    expect([mirror.engine.role(), third.engine.role()]).toEqual(['holder', 'mirror'])
    expect(third.engine.getState()).toEqual(mirror.engine.getState())
    expect(where.effects).toEqual(['tab 2: a.txt'])
  })
})

describe('a holder that gives the conversation up', () => {
  it('stores what is left before the next one reads', async () => {
    const where = world()
    const [holder, mirror] = await openTwo(where, [callTools(write('1'))], [answer('done')])
    void holder.engine.sendMessage('go')
    await mirror.until(stands('paused'))
    holder.engine.dispose()
    await mirror.until(({ role }) => role() === 'holder')
    expect(mirror.engine.getState().requestState).toBe('paused')
    expect(await holder.engine.sendMessage('late')).toMatchObject({ error: { code: 'disposed' } })
  })

  it.each(['the holder', 'the mirror'])(
    'which could not store it keeps the message of %s, for a person to send',
    async (who) => {
      let isFull = false
      const memory = memoryStorage()
      const disk: MemoryStorage = {
        ...memory,
        async write(...args) {
          if (isFull) throw new Error('There is no room left.')
          return memory.write(...args)
        },
      }
      const where = world({ disk })
      const cut = new Error('The stream was cut.')
      const [holder, mirror] = await openTwo(
        where,
        [answer('hello'), cut, answer('again')],
        [answer('again')],
      )
      await holder.engine.sendMessage('stored')
      await mirror.until(stands('completed'))
      isFull = true
      const sender = who === 'the holder' ? holder : mirror
      expect(await sender.engine.sendMessage('not stored')).toMatchObject({ requestState: 'error' })
      await mirror.until(stands('error'))
      const release = where.browser.open().steal('assent:chat')
      await holder.until(({ role }) => role() === 'mirror')
      isFull = false
      release()
      const isHeld = ({ getState }: OpenTab['engine']) => getState().queue[0]?.held === true
      await Promise.all([holder.until(isHeld), mirror.until(isHeld)])
      expect(said(holder)).toEqual(['stored', 'hello'])
      const [kept] = mirror.engine.getState().queue
      expect(kept && textOf(kept.message)).toBe('not stored')
      // It lasts, once somebody has it.
      await vi.waitFor(async () =>
        expect(JSON.stringify([...(await memory.read('conversation/chat'))])).toContain(
          'not stored',
        ),
      )
      mirror.engine.sendQueued(kept?.id ?? '')
      await mirror.until(stands('completed'))
      await holder.until(stands('completed'))
      expect(said(holder)).toEqual(['stored', 'hello', 'not stored', 'again'])
    },
  )

  it('whose lock is stolen ends at once, and nothing of it is stored any more', async () => {
    const stopped = vi.fn<() => void>()
    const used: string[] = []
    const memory = memoryStorage()
    const disk: MemoryStorage = {
      ...memory,
      read: (namespace) => (used.push('read'), memory.read(namespace)),
      write: (...args) => (used.push('write'), memory.write(...args)),
    }
    const where = world({
      disk,
      execute: (_path, signal) =>
        new Promise(() => signal?.addEventListener('abort', () => stopped())),
    })
    const holder = open(where, [callTools(write('1')), answer('yes')])
    await holder.engine.ready
    await holder.engine.sendMessage('go')
    await holder.resume({ toolCallId: '1' })
    await holder.until(() => where.effects.length === 1)
    const unanswered = holder.engine.sendMessage('not stored yet')
    const thief = where.browser.open()
    const release = thief.steal('assent:chat')
    used.length = 0
    await holder.until(({ role }) => role() === 'mirror')
    expect(stopped).toHaveBeenCalledOnce()
    release()
    await holder.until(({ role }) => role() === 'holder')
    expect(used[0]).toBe('read')
    expect(holder.calls()).toMatchObject([{ toolMetadata: { assent: { ended: 'interrupted' } } }])
    // What was under way here is looked after as if another tab had held it: it waits again.
    await holder.until(({ getState }) => getState().queue[0]?.held === true)
    holder.engine.sendQueued(holder.engine.getState().queue[0]!.id)
    expect(await unanswered).toMatchObject({ requestState: 'completed' })
    expect(said(holder)).toEqual(['go', '', 'not stored yet', 'yes'])
    expect(where.effects).toHaveLength(1)
  })
})
