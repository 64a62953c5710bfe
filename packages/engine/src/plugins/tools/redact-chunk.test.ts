import { describe, expect, it } from 'vitest'
import { createToolEngine } from '../../../test/tool-engine.ts'
import {
  responseChunks,
  stepChunks,
  toolCallChunks,
  toolErrorChunks,
  toolOutputChunks,
} from '../../testing/index.ts'
import type { Redact, RedactContext } from './options.ts'

const SECRET = 'hunter2-secret'
const redact: Redact = (text) => text.replaceAll(SECRET, '***')
const call = { toolCallId: '1', toolName: 'search', input: {}, providerExecuted: true }

/** Streams an answer with a call that the server runs; every state is kept. */
async function stream(
  chunks: ReturnType<typeof toolOutputChunks>,
  redactText: Redact = redact,
  named: typeof call & { dynamic?: boolean } = call,
) {
  const options = { redact: redactText }
  const made = createToolEngine(
    [responseChunks({}, stepChunks(toolCallChunks(named), chunks))],
    options,
    {
      scheduleFrame: (publish) => {
        publish()
        return () => {}
      },
    },
  )
  const shown: unknown[] = []
  const published: string[] = []
  made.engine.subscribe(() => {
    const [part] = made.calls()
    shown.push(part?.output)
    published.push(JSON.stringify(made.engine.getState().messages))
  })
  await made.engine.sendMessage('go')
  return { ...made, part: made.calls()[0], shown, published: published.join() }
}

describe('the output of a tool that runs elsewhere', () => {
  it('has no secret before anybody here sees it', async () => {
    const { part, published } = await stream(toolOutputChunks('1', { text: `is ${SECRET}` }))
    expect(part).toMatchObject({ state: 'output-available', output: { text: 'is ***' } })
    expect(published).not.toContain(SECRET)
  })

  it('is shown without its last word as long as more may follow', async () => {
    const cuts = [...`is ${SECRET} !`].map((_, index, all) => all.slice(0, index + 1).join(''))
    const { part, shown } = await stream(toolOutputChunks('1', ...cuts))
    expect(new Set(shown)).toEqual(new Set([undefined, '', 'is ', 'is *** ', 'is *** !']))
    expect(part).toMatchObject({ output: 'is *** !' })
    expect(part).not.toHaveProperty('preliminary')
  })

  it('has none in its errors either', async () => {
    const { part, published } = await stream(toolErrorChunks('1', `no ${SECRET}`))
    expect(part).toMatchObject({ state: 'output-error', errorText: 'no ***' })
    expect(published).not.toContain(SECRET)
    const refused = await stream([
      { type: 'tool-input-error', ...call, toolCallId: '2', errorText: `no ${SECRET}` },
    ])
    expect(refused.calls()[1]).toMatchObject({ state: 'output-error', errorText: 'no ***' })
  })

  it('becomes an error when it cannot be made safe, and that is reported', async () => {
    const broken = () => {
      throw new Error('broken')
    }
    const { part, published, errors, engine } = await stream(
      toolOutputChunks('1', `is ${SECRET} `, `is ${SECRET} now`),
      broken,
    )
    expect(part).toMatchObject({
      state: 'output-error',
      errorText: expect.stringContaining('withheld'),
      providerExecuted: true,
    })
    expect(published).not.toContain(SECRET)
    expect(errors.map(({ code }) => code)).toEqual(['tool_output_invalid', 'tool_output_invalid'])
    expect(engine.getState().requestState).toBe('completed')
  })

  it.each([
    ['static', call],
    ['dynamic', { ...call, dynamic: true }],
  ])('tells the function its tool: %s', async (_name, named) => {
    const seen: RedactContext[] = []
    const noting: Redact = (text, context) => {
      seen.push(context)
      return text
    }
    await stream(toolOutputChunks('1', 'x ', { password: 'y' }), noting, named)
    expect(seen).toMatchObject([
      { toolName: 'search', isPartial: true },
      { toolName: 'search', isPartial: false },
      { toolName: 'search', isPartial: false, key: 'password' },
    ])
  })
})
