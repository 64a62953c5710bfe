import { linkSync, lstatSync, readdirSync, readFileSync, utimesSync } from 'node:fs'
import { join } from 'node:path'
import * as fc from 'fast-check'
import { afterAll, beforeAll, expect, it, vi } from 'vitest'
import { createScratch, type Scratch } from '../../../../node/test/scratch.ts'
import { openRoots } from '../../roots.ts'
import { commandSoup } from '../command-soup.fixture.ts'
import { DENIED } from '../denied-commands.fixture.ts'
import { EVERYDAY } from '../everyday-commands.fixture.ts'
import { HARMFUL_OPTIONS } from '../harmful-options.fixture.ts'
import { HIDDEN } from '../hidden-commands.fixture.ts'
import { HIDDEN_SUBSTITUTIONS } from '../hidden-substitutions.fixture.ts'
import type { Shell } from '../shell.ts'
import { rememberShownCalls } from '../../shown-calls.ts'
import { simulatedShell } from './simulated-shell.ts'

const isDeep = process.env['ASSENT_DEEP'] === '1'
const isSoak = process.env['ASSENT_SOAK'] === '1'
const RUNS = isSoak ? 20_000 : isDeep ? 4_000 : 500
vi.setConfig({ testTimeout: isSoak ? 7_200_000 : isDeep ? 1_800_000 : 300_000 })

const CANARY = 'canary-7f3a91'
/** Files that may hold secrets, and the other names under which one of them can be found. */
const MASKED = [
  '.env',
  'keys/id_rsa',
  '.git/config',
  'conf/credentials.json',
  '.npmrc',
  'other-name.txt',
]

let scratch: Scratch
let shell: Shell
/** The judge is replaced by one that lets everything through. */
const allowing = (path: string): Shell =>
  simulatedShell({
    judge: async () => ({ verdict: 'allow', parts: [], names: [] }),
    roots: openRoots(path),
    sensitive: undefined,
    redact: (text) => text,
    maxFileBytes: 1_000_000,
    timeoutMs: 2_500,
    shown: rememberShownCalls(),
  })

beforeAll(() => {
  scratch = createScratch()
  scratch.write({
    'a.txt': 'a\n',
    'notes.txt': 'foo TODO bar\n',
    x: 'x\n',
    'src/index.ts': 'export {}\n',
    'src/a.ts': 'export const a = 1\n',
    'README.md': '# Read me\n',
    'package.json': '{ "name": "x" }\n',
    'names.txt': 'b\na\n',
    'build/out.js': 'out\n',
    'link-to-secret': '->.env',
    'link-to-etc': '->/etc',
    'link-to-src': '->src',
    ...Object.fromEntries(MASKED.slice(0, -1).map((path) => [path, `TOKEN=${CANARY}\n`])),
  })
  linkSync(join(scratch.path, '.env'), join(scratch.path, 'other-name.txt'))
  shell = allowing(scratch.path)
})
afterAll(() => {
  shell.dispose?.()
  scratch.remove()
})

/** All that is in the folder: what it is, and when it was changed, which cannot be set back. */
function treeOf(folder: string, inner = ''): readonly string[] {
  return readdirSync(join(folder, inner), { withFileTypes: true }).flatMap((entry) => {
    const path = join(inner, entry.name)
    const { ino, size, mode, mtimeNs, ctimeNs } = lstatSync(join(folder, path), { bigint: true })
    const own = [path, ino, size, mode, mtimeNs, ctimeNs].join(' ')
    return entry.isDirectory() ? [own, ...treeOf(folder, path)] : [own]
  })
}

/** When masked files were read last. Set before they were changed, so that each reading moves it. */
const readTimes = () => MASKED.map((path) => lstatSync(join(scratch.path, path)).atimeMs)
function setReadTimes(): void {
  for (const path of MASKED) utimesSync(join(scratch.path, path), new Date(1_000), new Date())
}

const spelled = fc.constantFrom(
  '.env',
  './.env',
  'src/../.env',
  'link-to-secret',
  'other-name.txt',
  '.en*',
  '.e?v',
)
const nosy = fc
  .tuple(
    fc.constantFrom(
      'cat',
      'head -1',
      'base64',
      'rev',
      'xxd',
      'grep T',
      'sort',
      'tac',
      'sed p',
      'awk 1',
      'source',
      'od -c',
      'cp -t build',
      'tar cf y.tar',
      'mv -f x',
      'rm -rf',
      'wc',
    ),
    spelled,
    fc.constantFrom(
      '',
      ' > copy',
      ' | tee copy',
      ' >> a.txt',
      '; rm -rf .',
      ' && mv src s2',
      ' < .env',
    ),
  )
  .map((words) => words.join(' ').replace(/ +/g, ' '))
const written = fc.constantFrom(
  ...EVERYDAY,
  ...DENIED,
  ...HARMFUL_OPTIONS,
  ...HIDDEN,
  ...HIDDEN_SUBSTITUTIONS,
)
const command = fc.oneof(
  { arbitrary: written, weight: 4 },
  { arbitrary: commandSoup, weight: 3 },
  { arbitrary: nosy, weight: 3 },
)

it('whatever runs before a yes changes nothing on the disk and reads nothing that is masked', async () => {
  setReadTimes()
  const read = readTimes()
  // The control: a reading is seen, or it would be no witness.
  readFileSync(join(scratch.path, '.npmrc'))
  const isWitness = readTimes().some((time, index) => time !== read[index])
  setReadTimes()
  const [tree, times] = [treeOf(scratch.path), readTimes()]
  const outside = treeOf('/etc/ssl').length
  const counts = { asked: 0, allowed: 0 }
  let calls = 0
  await fc.assert(
    fc.asyncProperty(command, async (text) => {
      const toolCallId = `${++calls}`
      const clearance = await shell.clear({ command: text }, { toolCallId })
      const evidence = await shell.preview({ command: text }, { toolCallId })
      let output = ''
      if (clearance.verdict === 'allow') {
        counts.allowed++
        const onOutput = (more: string) => void (output += more)
        await shell.run({
          input: { command: text },
          toolCallId,
          clearance,
          timeoutMs: 2_500,
          onOutput,
        })
      } else counts.asked++
      const after = { text, tree: treeOf(scratch.path), times: isWitness ? readTimes() : times }
      expect(after).toEqual({ text, tree, times })
      expect({ text, said: output + JSON.stringify(evidence) }).toEqual({
        text,
        said: expect.not.stringContaining(CANARY),
      })
    }),
    { numRuns: RUNS },
  )
  expect(treeOf('/etc/ssl').length).toBe(outside)
  // Both kinds came, or the corpus proves nothing.
  expect(Math.min(counts.asked, counts.allowed)).toBeGreaterThan(RUNS / 20)
})

it('the same command does change the disk after a yes: the witness sees it', async () => {
  const other = createScratch()
  other.write({ 'a.txt': 'a\n' })
  const control = allowing(other.path)
  const tree = treeOf(other.path)
  const input = { command: 'sed -i s/a/b/ a.txt' }
  const clearance = await control.clear(input, { toolCallId: '1' })
  expect(treeOf(other.path)).toEqual(tree)
  await control.run({ input, toolCallId: '1', clearance, timeoutMs: 2_500, onOutput: () => {} })
  expect(treeOf(other.path)).not.toEqual(tree)
  control.dispose?.()
  other.remove()
})
