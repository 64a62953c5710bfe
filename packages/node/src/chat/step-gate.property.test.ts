import { waitingCalls, isSettled } from '@assent/engine'
import { untilState } from '@assent/engine/testing'
import { jsonSchema, tool, type ToolSet } from 'ai'
import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { connectEngine } from '../../test/chat-client.ts'
import { callsAndResults } from '../../test/gated-server.ts'
import { scriptedModel } from '../../test/scripted-model.ts'
import { SECRET, serveListener } from '../../test/serve-chat.ts'
import { createChatHandler } from './create-chat-handler.ts'
import { toNodeListener } from './node-listener.ts'

const isDeep = process.env['ASSENT_DEEP'] === '1'
const isSoak = process.env['ASSENT_SOAK'] === '1'

/** Tools of the server and of the page, by what becomes of their calls. */
const names = [
  'free',
  'allowed',
  'forbidden',
  'asks',
  'asks_too',
  'page_free',
  'page_asks',
] as const
type Name = (typeof names)[number]
const onPage = (name: Name) => name.startsWith('page')

const step = fc.array(fc.constantFrom(...names), { minLength: 1, maxLength: 5 })
const plan = fc.record({
  steps: fc.array(step, { minLength: 1, maxLength: 3 }),
  /** For the calls that ask, in the order in which they are decided. */
  decisions: fc.infiniteStream(fc.boolean()),
  /** Which of the calls that wait is decided next. */
  picks: fc.infiniteStream(fc.nat({ max: 9 })),
  /** Providers give an id again in another step. */
  areIdsReused: fc.boolean(),
  failing: fc.constantFrom(...names, undefined),
})

test(
  'whatever a step calls, nothing runs before it is decided, and each call has one result in its place',
  { timeout: 600_000 },
  async () => {
    // One server for all plays: what it serves is the one at hand.
    let chat: (request: Request) => Promise<Response> = async () => new Response()
    const origin = await serveListener(toNodeListener((request) => chat(request)))

    await fc.assert(
      fc.asyncProperty(plan, async ({ steps, decisions, picks, areIdsReused, failing }) => {
        const ran: string[] = []
        /** Of the calls that ask: how they were decided. */
        const decided = new Map<string, boolean>()
        /** What ran although another call of its step waited. */
        const early: string[] = []
        const toolOf = (name: Name) =>
          tool({
            inputSchema: jsonSchema<{ call: string }>({ type: 'object' }),
            execute: ({ call }) => {
              const own = calls.find((all) => all.some((one) => one.call === call)) ?? []
              if (asking(own).some((one) => !decided.has(one))) early.push(call)
              ran.push(call)
              if (name === failing) throw new Error('as it may')
              return `${call} ran`
            },
          })
        const toolsOf = (isPage: boolean): ToolSet =>
          Object.fromEntries(
            names.filter((name) => onPage(name) === isPage).map((name) => [name, toolOf(name)]),
          )
        const calls = steps.map((tools, number) =>
          tools.map((name, index) => ({
            name,
            call: `${number}.${index}`,
            toolCallId: areIdsReused ? `call-${index}` : `call-${number}-${index}`,
          })),
        )
        const asking = (all: (typeof calls)[number]) =>
          all.filter(({ name }) => name.includes('asks')).map(({ call }) => call)
        const model = scriptedModel([
          ...calls.map((all) =>
            all.map(({ name, call, toolCallId }) => [toolCallId, name, { call }] as const),
          ),
          'Done.',
        ])
        chat = createChatHandler({
          model,
          tools: toolsOf(false),
          defaultApproval: 'approved',
          toolApproval: ({ toolCall: { toolName } }) => {
            if (toolName === 'forbidden') return 'denied'
            if (toolName === 'allowed') return 'approved'
            return toolName.startsWith('asks') ? 'user-approval' : undefined
          },
          approvalSecret: SECRET,
          ledger: 'memory',
          rateLimit: false,
        })
        const page = connectEngine(`${origin}/api/chat`, {
          tools: toolsOf(true),
          toolApproval: { page_asks: 'user-approval' },
        })
        void page.engine.sendMessage('go')
        for (const all of calls) {
          const asked = asking(all).length
          for (let left = asked; left > 0; left--) {
            await untilState(page.engine, ({ requestState }) => requestState === 'paused')
            const waiting = waitingCalls(page.engine.getState())
            expect(waiting).toHaveLength(left)
            const call = waiting[picks.next().value % left]
            const isYes = decisions.next().value
            const { input, step, toolCallId } = call!
            decided.set((input as { call: string }).call, isYes)
            const answer = await page.resume({ toolCallId, step, outcome: isYes ? 'yes' : 'no' })
            expect(answer).toMatchObject({ success: true })
          }
          if (asked > 0) {
            await untilState(page.engine, ({ requestState }) => requestState !== 'paused')
          }
        }
        const { error } = await untilState(page.engine, ({ requestState }) =>
          ['completed', 'error'].includes(requestState),
        )
        expect(error).toBeUndefined()

        expect(early).toEqual([])
        expect(page.text()).toBe('Done.')
        expect(page.calls().every(isSettled)).toBe(true)
        const wanted = calls.flat().filter(({ name, call }) => {
          return name !== 'forbidden' && decided.get(call) !== false
        })
        expect(ran.toSorted()).toEqual(wanted.map(({ call }) => call).toSorted())
        const ids = calls.flat().map(({ toolCallId }) => toolCallId)
        expect(callsAndResults(model.doStreamCalls.at(-1)?.prompt)).toEqual({
          calls: ids,
          results: ids,
        })
        expect(model.doStreamCalls).toHaveLength(steps.length + 1)
        page.engine.dispose()
      }),
      { numRuns: isSoak ? 1_500 : isDeep ? 200 : 30 },
    )
  },
)
