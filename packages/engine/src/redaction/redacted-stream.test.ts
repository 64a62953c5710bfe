import { expect, it } from 'vitest'
import { z } from 'zod'
import { createToolEngine } from '../../test/tool-engine.ts'
import { answer, callTools } from '../testing/index.ts'
import { createRedactor } from './create-redactor.ts'

const inputSchema = z.object({})
// Made here, so that none stands in this file as it would in an output.
const random = (length: number) =>
  Array.from({ length }, (_, index) => 'k9Q2xV7bTz4W'.charAt((index * 5) % 12)).join('')

it.each([
  ['a token', `ghp_${random(36)}`],
  ['a password', `DB_PASSWORD=${random(12)}`],
  ['a known value', 'open sesame, now'],
  ['a key', `-----BEGIN PRIVATE KEY-----\n${random(64)}\n-----END PRIVATE KEY-----`],
])(
  '%s that a tool streams is in no state, no request and no answer of the engine',
  async (_name, text) => {
    const secret = text.replace('DB_PASSWORD=', '')
    const log = `first line\n${text}\nlast line`
    const options = {
      tools: {
        run: {
          inputSchema,
          execute: async function* () {
            for (let length = 1; length <= log.length; length++) {
              yield { status: 'loading', log: log.slice(0, length) }
            }
            yield { status: 'done', log }
          },
        },
      },
      redact: createRedactor({ knownValues: ['open sesame, now'] }),
      maxOutputBytes: 30,
    }
    const { engine, transport } = createToolEngine(
      [callTools({ toolCallId: '1', toolName: 'run', input: {} }), answer('ok')],
      options,
      {
        scheduleFrame: (publish) => {
          publish()
          return () => {}
        },
      },
    )
    const seen: string[] = []
    engine.subscribe(() => seen.push(JSON.stringify(engine.getState().messages)))
    await engine.sendMessage('go')
    const read = await engine.runPluginCommand('tool', 'readToolOutput', { toolCallId: '1' })
    const all = [...seen, JSON.stringify(transport.requests), JSON.stringify(read)].join('\n')
    expect(seen.length).toBeGreaterThan(log.length)
    expect(all).not.toContain(secret.slice(0, 5))
    expect(all).not.toContain(secret.slice(-8))
    // A word that is no beginning of a secret is not kept back.
    expect(seen.some((state) => state.includes('loading'))).toBe(true)
    expect(read).toMatchObject({
      result: { text: expect.stringMatching(/^\{"status":"done".*last line"\}$/) },
    })
  },
)
