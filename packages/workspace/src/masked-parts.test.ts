import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { createRedactor } from '@assent/engine/redaction'
import { callTool } from '../test/call-tool.ts'
import { createScratch, type Scratch } from '../../node/test/scratch.ts'
import { createWorkspaceTools } from './create-workspace-tools.ts'
import { maskedLines } from './masked-lines.ts'

const BODY = Array.from({ length: 12 }, (_, at) => `b3BlbnNzaC1rZXktdjEAAAAABG5vbmUA${10 + at}Qq`)
const KEY = ['-----BEGIN OPENSSH PRIVATE KEY-----', ...BODY, '-----END OPENSSH PRIVATE KEY-----']
const ACCOUNT = JSON.stringify(
  { type: 'service_account', project_id: 'zoo', private_key: 'x', client_email: 'okapi@zoo' },
  undefined,
  1,
).split('\n')
const TOKEN = `ghp_${'aB3'.repeat(12)}`
const LINES = ['hello', ...KEY, `use ${TOKEN} here`, 'password: hunter2hunter2', ...ACCOUNT, 'end']
const SECRETS = [...BODY, TOKEN, 'hunter2hunter2', 'okapi@zoo']
const lineOf = (text: string) => LINES.indexOf(text) + 1

let scratch: Scratch
let made: ReturnType<typeof createWorkspaceTools>

beforeEach(() => {
  scratch = createScratch()
  writeFileSync(join(scratch.path, 'notes.txt'), `${LINES.join('\n')}\n`)
  made = createWorkspaceTools({ root: scratch.path })
})
afterEach(() => {
  made.dispose()
  scratch.remove()
})

const read = async (offset: number, limit: number) =>
  (await callTool(made.tools.read, { path: 'notes.txt', offset, limit })).output
const grep = async (pattern: string, context = 0) =>
  (await callTool(made.tools.grep, { pattern, context })).output

describe('a part of a file', () => {
  it('shows nothing of a secret that goes over its ends', async () => {
    for (let offset = 1; offset <= LINES.length; offset++) {
      for (const limit of [1, 3]) {
        const output = await read(offset, limit)
        expect(SECRETS.filter((secret) => output.includes(secret))).toEqual([])
      }
    }
    expect(await read(4, 3)).toBe('[secret: private key]\n')
  })

  it('has the lines that are counted in the file', async () => {
    expect(await read(lineOf(`use ${TOKEN} here`), 1)).toBe('use [secret: github token] here\n')
    expect(await read(lineOf('end'), 9)).toBe('end\n')
    expect(await read(LINES.length + 1, 1)).toMatch(/has \d+ lines; nothing is behind them/)
  })
})

describe('a search', () => {
  it('shows nothing of a secret of which a line matches, and does not say that it does', async () => {
    for (const pattern of ['14Qq', 'b3Blb', 'hunter', 'ghp_a', 'okapi']) {
      expect(await grep(pattern)).toBe(`No line matches ${pattern}.`)
    }
    for (const context of [0, 1, 5, 20]) {
      const output = await grep('hello|here|end', context)
      expect(SECRETS.filter((secret) => output.includes(secret))).toEqual([])
    }
  })

  it('names the lines as they are counted in the file', async () => {
    expect(await grep('end$')).toContain(`notes.txt:${lineOf('end')}:end\n`)
    expect(await grep('here')).toContain(`:${lineOf(`use ${TOKEN} here`)}:use [secret: `)
  })

  it('masks before it shortens a long line', async () => {
    const long = `${'x'.repeat(480)} ${TOKEN} needle`
    writeFileSync(join(scratch.path, 'long.txt'), `${long}\n`)
    expect(await grep('needle')).not.toContain(TOKEN.slice(0, 8))
  })
})

it('pairs lines with those of the file, whatever is masked, also in a long text', async () => {
  const redact = createRedactor()
  const filler = Array.from({ length: 3_000 }, (_, at) => `line ${at} of some text`)
  const lines = [...filler, ...LINES, '', ...KEY, '', ...KEY, ...filler, ...LINES, 'no end']
  const unmasked = new Map<number, string>()
  const shown: string[] = []
  for await (const { text, first, last } of maskedLines(lines.join('\n'), 'read', redact)) {
    shown.push(text)
    if (first === last && !text.includes('[secret:')) unmasked.set(first, text.replace('\n', ''))
  }
  expect(shown.join('')).toBe(redact(lines.join('\n'), { toolName: 'read', isPartial: false }))
  for (const [number, text] of unmasked) expect(lines[number - 1]).toBe(text)
  expect(unmasked.size).toBeGreaterThan(6_000)
})
