import { assentMetadata, toolCallStatus } from '@assent/engine'
import { untilState } from '@assent/engine/testing'
import { describe, expect, onTestFinished, test } from 'vitest'
import {
  answered,
  ask,
  asked,
  callsOf,
  decided,
  HOUR,
  saidIn,
  startAsking,
} from '../../test/asking-server.ts'
import { connectEngine } from '../../test/chat-client.ts'
import type { ModelStep } from '../../test/scripted-model.ts'
import { openDatabase } from '../sqlite/open-database.ts'
import type { ChatHandlerOptions } from './chat-options.ts'
import { memoryLedger } from './memory-ledger.ts'

/** What two servers keep their approvals in. */
type Kept = Pick<ChatHandlerOptions, 'database' | 'ledger'>

const KEPT: [string, () => Kept][] = [
  ['in memory', () => ({ ledger: memoryLedger() })],
  [
    'in a database',
    () => {
      const database = openDatabase(':memory:')
      onTestFinished(() => database.close())
      return { database }
    },
  ],
]

/** A server that has taken a yes, and does nothing about it until it may go on. */
async function startSlow(steps: readonly ModelStep[], kept: Kept) {
  const taken = Promise.withResolvers<void>()
  const goOn = Promise.withResolvers<void>()
  const isAsked = new Set<string>()
  const server = await startAsking(steps, {
    ...kept,
    toolApproval: {
      send: async (
        _input: unknown,
        { toolCallId }: { toolCallId: string },
      ): Promise<'user-approval'> => {
        if (!isAsked.has(toolCallId)) isAsked.add(toolCallId)
        else {
          taken.resolve()
          await goOn.promise
        }
        return 'user-approval'
      },
    },
  })
  return { ...server, taken: taken.promise, goOn: goOn.resolve }
}

/** What the model was told last. */
const toldLast = ({ model }: Awaited<ReturnType<typeof startAsking>>) =>
  model.doStreamCalls.at(-1)?.prompt.at(-1)?.content

const aDenial = [
  {
    type: 'tool-result',
    toolCallId: '1',
    output: { type: 'error-text', value: 'The person denied this call; it did not run.' },
  },
]

describe.each(KEPT)('a yes whose call another server was told to deny meanwhile, %s', (_, keep) => {
  test('is answered by that denial, and so is the model', async () => {
    const kept = keep()
    const one = await startSlow([ask, 'Then not.'], kept)
    const other = await startAsking(['As you like.'], kept)
    const paused = await asked(one)
    const yes = one.chat.post(decided(paused, true)).then((response) => response.text())
    await one.taken
    const no = await answered(paused, await other.chat.post(decided(paused, false)))
    one.goOn()
    const events = await yes
    expect(saidIn(events)).toEqual(['denied', 'tool-output-denied'])
    expect(events).not.toContain('too late')
    expect(callsOf(no)).toMatchObject([{ state: 'output-denied' }])
    expect(toldLast(one)).toMatchObject(aDenial)
    expect([one.effects, other.effects]).toEqual([[], []])
    expect([one.errors, other.errors]).toEqual([[], []])
  })

  test('is shown as overruled by a page with an engine', async () => {
    const kept = keep()
    const one = await startSlow([ask, 'Then not.'], kept)
    const other = await startAsking(['As you like.'], kept)
    const page = connectEngine(one.api, {}, { id: 'chat' })
    await page.engine.sendMessage('go')
    const paused = structuredClone([...page.engine.getState().messages])
    await page.resume({ toolCallId: '1', outcome: 'yes' })
    await one.taken
    await (await other.chat.post(decided(paused, false))).text()
    one.goOn()
    await untilState(page.engine, ({ requestState }) => requestState === 'completed')
    const [call] = page.calls()
    expect(call).toMatchObject({ state: 'output-denied', approval: { approved: false } })
    expect(assentMetadata(call!)).toMatchObject({ overruled: 'yes', ledger: 'denied' })
    expect(toolCallStatus(call!)).toBe('denied')
  })

  test('keeps no other call of its step from being run', async () => {
    const kept = keep()
    const both = [...ask, ['2', 'send', { to: 'bob' }]] satisfies ModelStep
    const one = await startSlow([both, 'One of them.'], kept)
    const other = await startAsking(['As you like.'], kept)
    const paused = await asked(one)
    const yes = one.chat.post(decided(paused, true)).then((response) => response.text())
    await one.taken
    const mixed = decided(paused, true, ({ toolCallId, approval }) =>
      toolCallId === '1' ? { approval: { ...approval, approved: false } } : {},
    )
    await (await other.chat.post(mixed)).text()
    one.goOn()
    const events = await yes
    expect(saidIn(events).toSorted()).toEqual([
      'denied',
      'ran',
      'tool-output-available',
      'tool-output-denied',
    ])
    expect([...one.effects, ...other.effects]).toEqual(['send bob'])
  })
})

describe.each(KEPT)('a yes that comes too late, %s', (_, keep) => {
  test('is answered by the denial that came in time', async () => {
    const kept = keep()
    const one = await startAsking([ask, 'Then not.'], kept)
    const other = await startAsking(['As I said.'], kept)
    const paused = await asked(one)
    await (await one.chat.post(decided(paused, false))).text()
    other.clock.now = one.clock.now + 25 * HOUR
    const events = await (await other.chat.post(decided(paused, true))).text()
    expect(saidIn(events)).toEqual(['denied', 'tool-output-denied'])
    expect(toldLast(other)).toMatchObject(aDenial)
    expect(other.effects).toEqual([])
  })
})
