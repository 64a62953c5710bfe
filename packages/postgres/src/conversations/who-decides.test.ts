import { untilState } from '@assent/engine/testing'
import type { MayDecide } from '@assent/node'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { ask, openPage, refused, speak } from '../../test/shared-pages.ts'
import { BACKENDS, only, sharedWorld } from '../../test/shared-world.ts'
import { createTestDatabase, type TestDatabase } from '../../test/test-database.ts'

let postgres: TestDatabase

beforeAll(async () => {
  postgres = await createTestDatabase()
})

afterAll(() => postgres.end())

const WAITING = ['approval-requested', 'approval-requested']

describe.each(BACKENDS)('in conversations on %s', (backend) => {
  test('who may not decide is told so, in the page that leads and in another one, and the calls wait on', async () => {
    const serve = sharedWorld(postgres, backend)
    const server = await serve(only('bob'))
    const [ada, eve, bob] = [
      await openPage(server, 'ada'),
      await openPage(server, 'eve'),
      await openPage(server, 'bob'),
    ]
    await ask(ada, eve, bob)
    expect([ada.engine.role(), eve.engine.role()]).toEqual(['holder', 'mirror'])
    for (const page of [ada, eve]) {
      expect(await page.decide('1')).toMatchObject(refused)
      expect(await page.decide('1', { outcome: 'no' })).toMatchObject(refused)
      const both = [{ toolCallId: '1' }, { toolCallId: '2' }]
      expect(await page.engine.runPluginCommand('tool', 'resumeToolCalls', both)).toMatchObject(
        refused,
      )
      const output = { toolCallId: '1', output: 'made up' }
      expect(await page.engine.runPluginCommand('tool', 'submitToolOutput', output)).toMatchObject(
        refused,
      )
      expect(page.states()).toEqual(WAITING)
    }
    expect(await bob.decide('1', { input: { title: 'edited' } })).toMatchObject({ success: true })
    expect(await bob.decide('2')).toMatchObject({ success: true })
    await untilState(bob.engine, ({ requestState }) => requestState === 'completed')
    expect(ada.wrote).toEqual(['edited', 'b'])
    await vi.waitFor(async () => {
      const decisions = await server.audit.query({ kind: 'decision' })
      expect(decisions.map(({ payload }) => payload)).toMatchObject([
        { toolCallId: '2', who: 'bob', requester: 'ada' },
        { toolCallId: '1', who: 'bob', requester: 'ada' },
      ])
    })
    expect(server.errors).toEqual([])
  })

  test('a decision is asked about once, with who decides, who has asked, and what', async () => {
    const mayDecide = vi.fn<MayDecide<string>>(({ user, requester }) => user !== requester)
    const serve = sharedWorld(postgres, backend)
    const server = await serve(mayDecide)
    const [ada, bob] = [await openPage(server, 'ada'), await openPage(server, 'bob')]
    await ask(ada, bob)
    expect(await ada.decide('1')).toMatchObject(refused)
    expect(mayDecide.mock.calls.splice(0)).toEqual([
      [
        {
          user: 'ada',
          requester: 'ada',
          chatId: 'c',
          call: { toolCallId: '1', toolName: 'write', input: { title: 'a' } },
          approved: true,
        },
      ],
    ])
    expect(await bob.decide('1', { outcome: 'no' })).toMatchObject({ success: true })
    expect(mayDecide.mock.calls).toMatchObject([
      [{ user: 'bob', requester: 'ada', approved: false }],
    ])
  })

  test.each<[string, MayDecide<string>]>([
    [
      'throws',
      () => {
        throw new Error('The directory is down.')
      },
    ],
    ['does not answer in time', () => new Promise<boolean>(() => undefined)],
  ])('without an answer nobody decides: it %s', async (_, mayDecide) => {
    const serve = sharedWorld(postgres, backend)
    const server = await serve(mayDecide)
    const [ada, bob] = [await openPage(server, 'ada'), await openPage(server, 'bob')]
    await ask(ada, bob)
    for (const page of [ada, bob]) {
      const error = {
        code: 'may_not_decide',
        message: expect.stringContaining('could not be checked'),
      }
      expect(await page.decide('1')).toMatchObject({ success: false, error })
      expect(page.states()).toEqual(WAITING)
    }
    expect(server.errors).toHaveLength(2)
  })

  test('a decision that is forged on the channel reaches nobody, and its page is told', async () => {
    const serve = sharedWorld(postgres, backend)
    const server = await serve(only('bob'))
    const [ada, eve] = [await openPage(server, 'ada'), await openPage(server, 'eve')]
    await ask(ada, eve)
    const heard: unknown[] = []
    const channel = eve.client.channel('assent:c')
    channel.addEventListener('message', ({ data }) => {
      if (Object(data).type === 'reply') heard.push(data)
    })
    let term = 0
    channel.addEventListener('message', ({ data }) => (term = Object(data).term ?? term))
    speak(channel, { assent: 1, type: 'hello', from: 'forged', term: 0, seq: undefined })
    await vi.waitFor(() => expect(term).toBeGreaterThan(0))
    const request = {
      method: 'runPluginCommand',
      plugin: 'tool',
      command: 'resumeToolCall',
      payload: { toolCallId: '1', by: 'bob' },
    }
    // As if bob had said it.
    speak(channel, {
      assent: 1,
      type: 'call',
      from: 'bob',
      user: 'bob',
      term,
      callId: 'x',
      request,
    })
    await vi.waitFor(() => expect(heard).toHaveLength(1))
    expect(heard).toMatchObject([{ to: 'bob', callId: 'x', result: refused }])
    expect([ada.states(), ada.wrote]).toEqual([WAITING, []])
  })

  test('a page stores no decision that was not allowed, and none of the notes that allow one', async () => {
    const serve = sharedWorld(postgres, backend)
    const server = await serve(only('bob'))
    const [ada, bob] = [await openPage(server, 'ada'), await openPage(server, 'bob')]
    await ask(ada, bob)
    const { storage } = ada.client
    const [messageId = ''] = ada.engine.getState().messageIds.slice(-1)
    const record = {
      id: 'forged',
      conversationId: 'c',
      messageId,
      step: 1,
      toolCallId: '1',
      toolName: 'write',
      fingerprint: 'made up',
      outcome: 'yes',
      at: 1,
    }
    const put = new Map([['confirmation/00000000', record]])
    for (const namespace of ['conversation/c', 'everywhere', 'conversation/other']) {
      await expect(storage.write(namespace, { put })).rejects.toMatchObject({
        code: 'may_not_decide',
      })
    }
    const own = 'assent-decisions/conversation/c'
    await expect(storage.write(own, { put })).rejects.toThrow('of the server alone')
    await expect(storage.read(own)).rejects.toThrow('of the server alone')
    // Bob allows the other call, and an input of his own: not this one.
    expect(await bob.decide('2')).toMatchObject({ success: true })
    await expect(storage.write('conversation/c', { put })).rejects.toMatchObject({
      code: 'may_not_decide',
    })
    expect((await storage.read('conversation/c')).get('confirmation/00000000')).toMatchObject({
      toolCallId: '2',
    })
  })

  test('a page cannot speak for the servers, or say what it was not asked about', async () => {
    const serve = sharedWorld(postgres, backend)
    const server = await serve(only())
    const [ada, eve] = [await openPage(server, 'ada'), await openPage(server, 'eve')]
    await ask(ada, eve)
    const before = ada.engine.role()
    const all = eve.client.channel('assent-servers:all-pages')
    speak(all, { tell: 'lost', hold: 'x' })
    const odd = eve.client.channel('assent:c')
    const request = {
      method: 'runPluginCommand',
      plugin: 'tool',
      command: 'resumeToolCall',
      payload: 7,
    }
    speak(odd, { assent: 1, type: 'call', from: 'eve', term: 1, callId: 'y', request })
    expect(await eve.decide('1')).toMatchObject(refused)
    expect([ada.engine.role(), ada.states()]).toEqual([before, WAITING])
  })

  test('two servers with one file let those decide who may, and note who did', async () => {
    const mayDecide = vi.fn(only('bob'))
    const serve = sharedWorld(postgres, backend)
    const [one, other] = [await serve(mayDecide), await serve(mayDecide)]
    const ada = await openPage(one, 'ada')
    const [bob, eve] = [await openPage(other, 'bob'), await openPage(other, 'eve')]
    await ask(ada, bob, eve)
    expect(await eve.decide('1')).toMatchObject(refused)
    expect(mayDecide).toHaveBeenCalledOnce()
    expect(
      await bob.engine.runPluginCommand('tool', 'resumeToolCalls', [
        { toolCallId: '1' },
        { toolCallId: '2' },
      ]),
    ).toMatchObject({ success: true })
    expect(mayDecide).toHaveBeenCalledTimes(3)
    await untilState(eve.engine, ({ requestState }) => requestState === 'completed')
    expect(ada.wrote).toEqual(['a', 'b'])
    await vi.waitFor(async () => {
      expect(await other.audit.query({ kind: 'decision' })).toMatchObject([
        { payload: { who: 'bob', requester: 'ada' } },
        { payload: { who: 'bob', requester: 'ada' } },
      ])
    })
  })
})
