import { join } from 'node:path'
import type { ToolSet, UIMessage } from 'ai'
import { afterEach, beforeEach, describe, expect, expectTypeOf, test, vi } from 'vitest'
import {
  answered,
  ask,
  asked,
  callsOf,
  decided,
  errorOf,
  startAsking,
} from '../../test/asking-server.ts'
import { createScratch, type Scratch } from '../../test/scratch.ts'
import { scriptedModel } from '../../test/scripted-model.ts'
import { auditLog } from '../audit/sqlite-audit.ts'
import { openDatabase, type AssentDatabase } from '../sqlite/open-database.ts'
import type { ChatHandlerOptions } from './chat-options.ts'
import { createChatHandler } from './create-chat-handler.ts'
import type { DecisionAsked } from './may-decide.ts'

let scratch: Scratch
let database: AssentDatabase

beforeEach(() => {
  scratch = createScratch()
  database = openDatabase(join(scratch.path, 'data.db'))
})

afterEach(() => {
  database.close()
  scratch.remove()
})

const ada = { headers: { 'x-user': 'ada' } }
const bob = { headers: { 'x-user': 'bob' } }
const eve = { headers: { 'x-user': 'eve' } }

type Options = Partial<ChatHandlerOptions>

/** A server whose one tool asks, with users. */
function start(options: Options = {}) {
  return startAsking([ask, 'Sent.', 'Sent.'], {
    database,
    authorize: (request) => request.headers.get('x-user'),
    ...options,
  })
}

/** Ada asks, and bob decides. */
const onlyBob = ({ user }: DecisionAsked) => user === 'bob'

const ledgerRows = () => database.sqlite.prepare('SELECT * FROM approval_ledger').all()

describe('the audit', () => {
  const rows = () =>
    database.sqlite
      .prepare(
        `SELECT c.tool_call_id, c.status, d.outcome, d.who, d.tool_name
         FROM tool_decisions d LEFT JOIN tool_calls c ON c.id = d.call_id`,
      )
      .all()

  test.each([
    ['of a user', {}, ada, 'ada'],
    ['of whoever uses the only page', { authorize: undefined }, undefined, null],
    ['of a colleague', { mayDecide: () => true }, bob, 'bob'],
  ] as const)('has the yes %s, which names its call', async (_, options, sender, who) => {
    const server = await start({ audit: auditLog(database), ...options } as Options)
    const messages = decided(await asked(server, sender && ada), true)
    for (let time = 0; time < 2; time++) await (await server.chat.post(messages, sender)).text()
    expect(rows()).toEqual([
      { tool_call_id: '1', status: 'done', outcome: 'yes', who, tool_name: 'send' },
    ])
    const [entry] = await auditLog(database).query({ kind: 'decision' })
    expect(entry?.payload['requester']).toBe(who === null ? undefined : 'ada')
  })

  test('has a no, after which its call has not run', async () => {
    const audit = auditLog(database)
    const server = await start({ audit })
    const messages = decided(await asked(server, ada), false)
    for (let time = 0; time < 2; time++) await (await server.chat.post(messages, ada)).text()
    expect(rows()).toMatchObject([
      { tool_call_id: '1', status: 'failed', outcome: 'no', who: 'ada' },
    ])
    expect(await audit.calls()).toMatchObject([
      { status: 'failed', outcome: 'denied', startedAt: undefined, attempts: 0 },
    ])
  })

  test('has a call that waits, before anybody has decided, and the same one when it has run', async () => {
    const audit = auditLog(database)
    const server = await start({ audit })
    const paused = await asked(server, ada)
    const [waiting] = await audit.calls()
    expect(waiting).toMatchObject({
      status: 'queued',
      toolName: 'send',
      toolCallId: '1',
      conversationId: 'chat',
      arguments: { to: 'ada' },
      startedAt: undefined,
    })
    await (await server.chat.post(decided(paused, true), ada)).text()
    expect(await audit.calls()).toMatchObject([{ id: waiting?.id, status: 'done', attempts: 1 }])
  })

  test('that cannot be written holds no question back', async () => {
    const audit = auditLog(database)
    const server = await start({
      audit: { ...audit, recordCall: () => Promise.reject(new Error('no disk')) },
    })
    const paused = await asked(server, ada)
    expect(callsOf(paused)).toMatchObject([{ state: 'approval-requested' }])
    expect(server.errors).toMatchObject([{ message: 'no disk' }])
  })
})

describe('mayDecide', () => {
  test('lets another user decide, who is noted beside who was asked', async () => {
    const audit = auditLog(database)
    const questions: DecisionAsked[] = []
    const server = await start({
      audit,
      mayDecide(question) {
        questions.push(question)
        return onlyBob(question)
      },
    })
    const messages = decided(await asked(server, ada), true)
    const after = await answered(messages, await server.chat.post(messages, bob))
    expect(server.effects).toEqual(['send ada'])
    expect(callsOf(after)).toMatchObject([{ state: 'output-available' }])
    const call = { toolCallId: '1', toolName: 'send', input: { to: 'ada' } }
    expect(questions).toEqual([
      { user: 'bob', requester: 'ada', chatId: 'chat', call, approved: true },
    ])
    expect(ledgerRows()).toMatchObject([{ state: 'done', decided_by: 'bob' }])
    expect(String(ledgerRows()[0]?.['scope'])).toContain('"ada"')
    const [entry] = await audit.query({ kind: 'decision' })
    expect(entry?.payload).toMatchObject({ outcome: 'yes', who: 'bob', requester: 'ada' })
    expect(await audit.verify()).toMatchObject({ valid: true })
  })

  test('refuses who was asked as well, so that four eyes see a call', async () => {
    const server = await start({ mayDecide: onlyBob })
    const paused = await asked(server, ada)
    for (const approved of [true, false]) {
      const messages = decided(paused, approved)
      const refused = await errorOf(await server.chat.post(messages, ada))
      expect(refused).toMatchObject({ status: 403, code: 'may-not-decide' })
      expect(refused.message).toContain('You may not decide about send.')
      expect(refused.message).toContain('it still waits')
      const approvalId = callsOf(paused)[0]?.approval?.id
      expect(refused.refused).toEqual([{ approvalId, isOpen: true }])
    }
    expect([server.effects, ledgerRows()]).toEqual([[], []])
  })

  test('refuses a stranger, and what was refused can be decided by who may', async () => {
    const server = await start({ mayDecide: onlyBob })
    const messages = decided(await asked(server, ada), true)
    const refused = await errorOf(await server.chat.post(messages, eve))
    expect(refused).toMatchObject({ status: 403, code: 'may-not-decide' })
    expect([server.effects, ledgerRows()]).toEqual([[], []])
    await (await server.chat.post(messages, bob)).text()
    expect(server.effects).toEqual(['send ada'])
    // Now that it has run a stranger is not told what came of it either, nor that anything did.
    const again = await errorOf(await server.chat.post(messages, eve))
    expect(again).toEqual(refused)
    expect(refused.refused).toMatchObject([{ isOpen: false }])
  })

  test('lets who was asked bring what another one decided, and the call runs once', async () => {
    const server = await start({ mayDecide: onlyBob })
    const messages = decided(await asked(server, ada), true)
    await (await server.chat.post(messages, bob)).text()
    const after = await answered(messages, await server.chat.post(messages, ada))
    expect(server.effects).toEqual(['send ada'])
    expect(callsOf(after)).toMatchObject([{ state: 'output-available', output: 'receipt 1' }])
    expect(ledgerRows()).toMatchObject([{ decided_by: 'bob' }])
    const denied = messages.map((message) => structuredClone(message))
    for (const { approval } of callsOf(denied)) if (approval) approval.approved = false
    const other = await errorOf(await server.chat.post(denied, ada))
    expect(other).toMatchObject({ status: 403, code: 'may-not-decide' })
    expect(other.refused).toMatchObject([{ isOpen: false }])
  })

  test.each<[string, Options['mayDecide']]>([
    ['throws', () => Promise.reject(new Error('The directory is gone.'))],
    [
      'throws at once',
      () => {
        throw new Error('The directory is gone.')
      },
    ],
    ['never answers', () => new Promise(() => undefined)],
  ])('refuses when it %s, and tells the server why', async (_, mayDecide) => {
    const server = await start({ mayDecide, checkTimeoutMs: 50 } as Options)
    const messages = decided(await asked(server, ada), true)
    const refused = await errorOf(await server.chat.post(messages, ada))
    expect(refused).toMatchObject({ status: 403, code: 'may-not-decide' })
    expect(refused.message).toContain('could not be checked')
    expect(refused.message).not.toContain('directory')
    expect([server.effects, ledgerRows()]).toEqual([[], []])
    expect(server.errors).toHaveLength(1)
  })

  test.each([undefined, null, 1, 'yes', {}, [], Object(true)])(
    'refuses when it answers %o, which is not true',
    async (answer) => {
      const mayDecide = vi.fn<() => boolean>().mockReturnValue(answer)
      const server = await start({ mayDecide })
      const messages = decided(await asked(server, ada), true)
      const refused = await errorOf(await server.chat.post(messages, ada))
      expect(refused).toMatchObject({ status: 403, code: 'may-not-decide' })
      expect(mayDecide).toHaveBeenCalledTimes(1)
      expect(server.effects).toEqual([])
    },
  )

  test('does not take a question that names somebody else as who was asked', async () => {
    const mayDecide = vi.fn<() => boolean>().mockReturnValue(true)
    const server = await start({ mayDecide })
    const paused = await asked(server, ada)
    const named = Buffer.from('bob').toString('base64url')
    const forged = [
      (signature: string) => signature.replace(/~[\w-]+/, `~${named}`),
      (signature: string) => signature.replace(/~[\w-]+/, ''),
      (signature: string) => signature.replace(/~[\w-]+/, '~'),
      (signature: string) => signature.replace(/^assent4.*?~[\w-]+/, `assent2.${named}`),
    ]
    for (const forge of forged) {
      const messages = decided(paused, true, ({ approval }) => ({
        approval: { ...approval, approved: true, signature: forge(approval?.signature ?? '') },
      }))
      for (const user of [ada, bob, eve]) {
        const refused = await errorOf(await server.chat.post(messages, user))
        expect(refused).toMatchObject({ status: 400, code: 'bad-approval' })
      }
    }
    expect(server.effects).toEqual([])
    expect(mayDecide).not.toHaveBeenCalled()
  })

  test('notes nothing of a step of which one call is not theirs to decide', async () => {
    const two = [...ask, ['2', 'send', { to: 'bob' }]] satisfies typeof ask
    const server = await startAsking([two], {
      database,
      authorize: (request) => request.headers.get('x-user'),
      mayDecide: ({ call }) => call.toolCallId === '1',
    })
    const messages = decided(await asked(server, ada), true)
    const refused = await errorOf(await server.chat.post(messages, ada))
    expect(refused).toMatchObject({ status: 403, code: 'may-not-decide' })
    const approvalId = callsOf(messages)[1]?.approval?.id
    expect(refused.refused).toEqual([{ approvalId, isOpen: true }])
    expect([server.effects, ledgerRows()]).toEqual([[], []])
  })

  test('without it a user decides what that user was asked, and nothing else', async () => {
    const server = await start()
    const messages = decided(await asked(server, ada), true)
    const refused = await errorOf(await server.chat.post(messages, bob))
    expect(refused).toMatchObject({ status: 400, code: 'bad-approval' })
    expect(signatureOf(messages)).toMatch(/^assent3\.[\w-]{22}\.p\./)
    await (await server.chat.post(messages, ada)).text()
    expect(ledgerRows()).toMatchObject([{ decided_by: 'ada' }])
  })

  test('needs to know who decides', () => {
    const make = () => createChatHandler({ model: scriptedModel([]), mayDecide: () => true })
    expect(make).toThrow(/authorize/)
  })

  test('knows the user as `authorize` tells it', () => {
    const options: ChatHandlerOptions<ToolSet, { id: string; role: 'boss' | 'clerk' }> = {
      model: scriptedModel([]),
      authorize: () => ({ id: 'ada', role: 'clerk' }),
      mayDecide: ({ user }) => {
        expectTypeOf(user.role).toEqualTypeOf<'boss' | 'clerk'>()
        return user.role === 'boss'
      },
    }
    expect(createChatHandler(options)).toBeTypeOf('function')
  })
})

function signatureOf(messages: readonly UIMessage[]): string {
  return callsOf(messages)[0]?.approval?.signature ?? ''
}
