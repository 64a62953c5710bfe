import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { createScratch, type Scratch } from '../../node/test/scratch.ts'
import { watchTurns } from '../../node/test/watch-turns.ts'
import { callBash, callTool } from '../test/call-tool.ts'
import { createWorkspaceTools } from './create-workspace-tools.ts'

vi.setConfig({ testTimeout: 120_000 })

const SIZE = 4_000_000
const fill = (make: (index: number) => string) => {
  const pieces: string[] = []
  for (let size = 0, index = 0; size < SIZE; index++) {
    const piece = make(index)
    pieces.push(piece)
    size += piece.length
  }
  return pieces.join('').slice(0, SIZE)
}
const word = (index: number) =>
  Buffer.from(`${index * 7919} ${index * 104729}`)
    .toString('base64')
    .replaceAll('=', '')
const TEXTS = {
  'lines of numbers': fill((index) => `${index}\n`),
  'lines of base64': fill((index) => `${word(index).repeat(4).slice(0, 76)}\n`),
  'lines of secrets': fill((index) => `SERVICE_${index}_SECRET=${word(index)}\n`),
  'one line': 'x'.repeat(SIZE),
  'one line of secrets': fill((index) => `password=${word(index)} `),
  'words in colours': fill((index) => `\u001B[3${index % 8}mword ${index}\u001B[0m\u001B[K\r\n`),
}
const cases = Object.entries(TEXTS).map(
  ([name, text], index) => [name, `long-${index}.log`, text] as const,
)

let scratch: Scratch
beforeAll(() => {
  scratch = createScratch()
  scratch.write(Object.fromEntries(cases.map(([, file, text]) => [file, text])))
})
afterAll(() => scratch.remove())

/** Runs something, prints its longest turn of the event loop, and holds it to a bound. */
async function watch(name: string, run: () => Promise<{ output: string }>): Promise<string> {
  const turns = watchTurns()
  const { output } = await run()
  const longestMs = turns.stop()
  process.stdout.write(`${name}: at most ${Math.round(longestMs)} ms at once\n`)
  // 50 ms on a quiet machine; here beside other tests, and cold. In one piece it is some hundred to thousand.
  expect(longestMs).toBeLessThan(150)
  return output
}

describe.each([
  ['simulated', cases.slice(4)],
  ['system', cases],
] as const)('a long output in the %s shell', (shell, some) => {
  it.each(some)('of %s keeps nobody waiting for long', async (name, file) => {
    const tools = createWorkspaceTools({ root: scratch.path, shell, maxFileBytes: 2 * SIZE })
    try {
      const command = `cat ${file}`
      const call = { toolCallId: 'call' }
      const output = await watch(`bash (${shell}), ${name}`, async () => {
        await tools.toolApproval.bash({ command }, call)
        return callBash(tools.tools.bash, { command }, call)
      })
      expect(output).toMatch(/^\[Output cut: the last \d+ of \d+ lines, \d+ of \d{7} bytes are/)
    } finally {
      tools.dispose()
    }
  })
})

it.each(cases.slice(3, 5))(
  'a long file of %s is read without keeping anybody waiting',
  async (name, path) => {
    const tools = createWorkspaceTools({ root: scratch.path, maxFileBytes: 2 * SIZE })
    try {
      const read = await watch(`read, ${name}`, () => callTool(tools.tools.read, { path }))
      expect(read).toMatch(/\[Output cut: the first \d+ of \d+ lines/)
    } finally {
      tools.dispose()
    }
  },
)
