import { deriveApprovalPolicies } from '@assent/engine'
import { clearOwner, namespaceOf, notesBeside } from '@assent/engine/storage'
import { answer, callTools, untilState } from '@assent/engine/testing'
import type { MayDecide } from '@assent/node'
import type { JSONValue } from 'ai'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { ask, openPage, refused, speak, type Page } from '../../test/shared-pages.ts'
import { BACKENDS, only, sharedWorld } from '../../test/shared-world.ts'
import { createTestDatabase, type TestDatabase } from '../../test/test-database.ts'

let postgres: TestDatabase

beforeAll(async () => {
  postgres = await createTestDatabase()
})

afterAll(() => postgres.end())

const ONE_CALL = [
  callTools({ toolCallId: '1', toolName: 'write', input: { title: 'a' } }),
  answer('Done.'),
]

/** Ada leads; bob, who may, allows the tool always. */
async function allowAlways(server: { readonly url: string }, where = 'conversation') {
  const ada = await openPage(server, 'ada', { script: ONE_CALL })
  const bob = await openPage(server, 'bob')
  await ask(ada, bob)
  const scope = { covers: 'tool', where }
  expect(await bob.decide('1', { outcome: 'yes_always', scope })).toMatchObject({ success: true })
  await untilState(bob.engine, ({ requestState }) => requestState === 'completed')
  const [policy] = bob.engine.getState().confirmations
  if (!policy) throw new Error('There is no permission.')
  return { ada, bob, policyId: policy.id, policy }
}

const standing = ({ engine }: Page) =>
  deriveApprovalPolicies(engine.getState().confirmations, { now: Date.now() }).map(
    ({ status }) => status,
  )

/** Resolves when the permission is seen to stand so. */
const untilStanding = (page: Page, status: string) =>
  untilState(page.engine, () => standing(page)[0] === status)

const confirmations = async ({ client }: Page) =>
  client.storage.read('conversation/c', { prefix: 'confirmation/' })

describe.each(BACKENDS)('in conversations on %s', (backend) => {
  test.each(['conversation', 'everywhere'])(
    'a permission for the %s goes on, and is taken back, by who may decide',
    async (where) => {
      const mayDecide = vi.fn<MayDecide<string>>(({ user }) => user === 'bob')
      const server = await sharedWorld(postgres, backend)(mayDecide)
      const { ada, bob, policyId } = await allowAlways(server, where)
      const eve = await openPage(server, 'eve')
      await eve.engine.stopAll()
      await untilStanding(ada, 'suspended')
      await untilStanding(bob, 'suspended')
      mayDecide.mockClear()

      for (const page of [ada, eve]) {
        expect(await page.command('resumePolicies', {})).toMatchObject(refused)
        expect(await page.command('resumePolicies', { policyId })).toMatchObject(refused)
        expect(await page.command('revokePolicy', { policyId })).toMatchObject(refused)
      }
      const call = { toolCallId: '1', toolName: 'write', input: { title: 'a' } }
      expect(mayDecide.mock.calls[0]).toEqual([
        { user: 'ada', requester: 'ada', chatId: 'c', call, approved: true },
      ])
      expect(mayDecide.mock.calls[2]).toMatchObject([{ user: 'ada', approved: false }])
      expect([standing(ada), standing(eve)]).toEqual([['suspended'], ['suspended']])

      expect(await bob.command('resumePolicies', {})).toMatchObject({
        success: true,
        result: { policyIds: [policyId] },
      })
      await untilStanding(ada, 'standing')
      expect(await bob.command('revokePolicy', { policyId })).toMatchObject({ success: true })
      await untilStanding(eve, 'revoked')
      await vi.waitFor(async () => {
        const events = [...(await confirmations(ada)).values()].map(
          (record) => Object(record).event ?? Object(record).outcome,
        )
        expect(events).toEqual(['yes_always', 'suspended', 'resumed', 'no'])
      })
      expect(server.errors).toEqual([])
    },
  )

  test('the page that leads stores no permission that is wider, stands again, or goes on by itself', async () => {
    const server = await sharedWorld(postgres, backend)(only('bob'))
    const { ada, bob, policy } = await allowAlways(server)
    const { storage } = ada.client
    const store = (key: string, record: object) =>
      storage.write('conversation/c', {
        put: new Map([[key, JSON.parse(JSON.stringify(record)) as JSONValue]]),
      })
    const next = 'confirmation/00000001'
    await ada.engine.stopAll()
    await untilStanding(bob, 'suspended')
    const { size } = await vi.waitFor(async () => {
      const stored = await confirmations(ada)
      expect(stored.size).toBe(2)
      return stored
    })
    const [, suspended] = ada.engine.getState().confirmations
    const after = `confirmation/0000000${size}`
    const resumed = { ...suspended, id: 'r', event: 'resumed', suspension: suspended?.id }
    const { scope, ...narrow } = { scope: undefined, ...policy }
    const again = { ...policy, id: 'again' }
    expect(await bob.command('revokePolicy', { policyId: policy.id })).toMatchObject({
      success: true,
    })
    const wider = { ...narrow, id: 'wider', scope: { covers: 'tool', where: 'everywhere' } }
    for (const record of [resumed, wider, { ...narrow, id: 'all' }, { id: 'odd' }, again]) {
      await expect(store(after, record)).rejects.toMatchObject({
        code: 'may_not_decide',
      })
    }
    expect(scope).toBeDefined()
    // What suspends it cannot be taken away, nor be written over.
    await expect(store(next, { ...suspended, event: 'used' })).rejects.toMatchObject({
      code: 'fenced',
    })
    await expect(storage.write('conversation/c', { remove: [next] })).rejects.toMatchObject({
      code: 'may_not_decide',
    })
    await expect(storage.remove('everywhere')).rejects.toThrow('of the server alone')
    for (const prefix of ['assent-decisions/', 'assent-', 'every', 'conversation/c/']) {
      await expect(storage.removeAll(prefix)).rejects.toThrow('of the server alone')
    }
  })

  test('a permission is taken back by who may where no engine has the conversation open', async () => {
    const server = await sharedWorld(postgres, backend)(only('bob'))
    const { ada, bob, policy } = await allowAlways(server, 'everywhere')
    const revoke = ({ client }: Page) => {
      const record = { ...policy, id: `of-${policy.id}`, outcome: 'no', revokes: policy.id }
      const put = new Map([[record.id, JSON.parse(JSON.stringify(record)) as JSONValue]])
      return client.storage.write('everywhere', { put })
    }
    await expect(revoke(ada)).rejects.toMatchObject({ code: 'may_not_decide' })
    await revoke(bob)
    await untilStanding(ada, 'revoked')
  })

  test('what is noted of an owner, or of a conversation, goes with the records', async () => {
    const server = await sharedWorld(postgres, backend)(only('bob'))
    const { storage } = server.conversations
    const names = [
      namespaceOf('c'),
      namespaceOf('c', 'ada'),
      namespaceOf('d', 'ada'),
      namespaceOf('c', 'bob'),
    ]
    for (const name of names) {
      for (const one of [name, notesBeside(name)])
        await storage.write(one, { put: new Map([['k', 'secret']]) })
    }
    const left = async () => {
      const found = await Promise.all(
        names.map(async (name) => (await storage.read(notesBeside(name))).size),
      )
      return found.join('')
    }
    const ada = await openPage(server, 'ada')
    await ada.client.storage.remove(namespaceOf('d', 'ada'))
    expect(await left()).toBe('1101')
    await clearOwner(ada.client.storage, 'ada')
    expect(await left()).toBe('1001')
    await storage.remove(namespaceOf('c'))
    await clearOwner(storage, 'bob')
    expect(await left()).toBe('0000')
  })

  test('nobody answers a call by other messages who may not, and what nobody knows is refused', async () => {
    const server = await sharedWorld(postgres, backend)(only('bob'), {
      freeCommands: ['notes.add'],
    })
    const add = vi.fn<() => string>().mockReturnValue('added')
    const notes = { name: 'notes', commands: { add, approve: add } }
    const options = { script: ONE_CALL, plugins: [notes] }
    const [ada, eve, bob] = [
      await openPage(server, 'ada', options),
      await openPage(server, 'eve', options),
      await openPage(server, 'bob', options),
    ]
    await ask(ada, eve, bob)
    const asked = eve.engine.getState().messages
    const answered = asked.map((message) => ({
      ...message,
      parts: message.parts.map((part) =>
        'toolCallId' in part
          ? { ...part, state: 'output-available' as const, output: 'made up' }
          : part,
      ),
    }))
    const heard: unknown[] = []
    const channel = eve.client.channel('assent:c')
    let term = 0
    channel.addEventListener('message', ({ data }) => {
      if (Object(data).type === 'reply') heard.push(data)
      term = Object(data).term ?? term
    })
    speak(channel, { assent: 1, type: 'hello', from: 'x', term: 0, seq: undefined })
    await vi.waitFor(() => expect(term).toBeGreaterThan(0))
    for (const request of [
      { method: 'setMessages', messages: answered },
      { method: 'approveAll' },
      { method: 'runPluginCommand', plugin: 'tool', command: 'approveAll', payload: {} },
    ]) {
      speak(channel, { assent: 1, type: 'call', from: 'x', term, callId: request.method, request })
    }
    await vi.waitFor(() => expect(heard).toHaveLength(3))
    const replies = new Map(heard.map((reply) => [Object(reply).callId, Object(reply).result]))
    expect(replies.get('setMessages')).toMatchObject({ done: true, error: refused.error })
    expect(replies.get('approveAll')).toMatchObject({ done: true, error: refused.error })
    expect(replies.get('runPluginCommand')).toMatchObject(refused)
    for (const page of [ada, eve]) {
      expect(await page.command('add', {}, 'notes')).toMatchObject({ success: true })
      expect(await page.command('approve', {}, 'notes')).toMatchObject(refused)
      expect(await page.command('approveAll', {})).toMatchObject(refused)
    }
    expect(add).toHaveBeenCalledTimes(2)
    expect([ada.states(), eve.states()]).toEqual([['approval-requested'], ['approval-requested']])
    // Anybody may stop what waits, and replace what was said.
    await eve.engine.abort()
    await untilState(ada.engine, ({ requestState }) => requestState === 'aborted')
    eve.engine.setMessages([])
    await untilState(ada.engine, ({ messages }) => messages.length === 0)
  })
})
