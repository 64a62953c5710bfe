import * as fc from 'fast-check'
import { Bash, InMemoryFs } from 'just-bash'
import { expect, it, vi } from 'vitest'
import { commandSoup } from './command-soup.fixture.ts'
import { judgeCommand } from './judge-command.ts'

const isDeep = process.env['ASSENT_DEEP'] === '1'
const isSoak = process.env['ASSENT_SOAK'] === '1'
vi.setConfig({ testTimeout: isDeep ? 600_000 : 60_000 })

const FILES = {
  '/project/a.txt': 'a\n',
  '/project/x': 'x\n',
  '/project/src/index.ts': 'export {}\n',
  '/project/README.md': '# Read me\n',
  '/project/package.json': '{ "name": "x" }\n',
}

/** All that is in a folder, by path. */
async function snapshotOf(files: InMemoryFs): Promise<Record<string, string>> {
  const paths = files.getAllPaths().filter((path) => path.startsWith('/project'))
  const texts = await Promise.all(
    paths.toSorted().map(async (path) => {
      const { isFile, mode } = await files.lstat(path)
      return [path, `${mode} ${isFile ? await files.readFile(path) : ''}`] as const
    }),
  )
  return Object.fromEntries(texts)
}

it('a command that is let through changes nothing in the simulated shell, which reads it in its own way', async () => {
  let ran = 0
  const most = isSoak ? 4_000 : isDeep ? 1_000 : 60
  const untouched = await snapshotOf(new InMemoryFs(FILES))
  await fc.assert(
    fc.asyncProperty(commandSoup, async (command) => {
      if (ran >= most || judgeCommand(command).verdict !== 'allow') return
      if (/\b(?:sleep|while|until)\b/.test(command)) return
      ran++
      const files = new InMemoryFs(FILES)
      await new Bash({ fs: files, cwd: '/project' }).exec(command, { cwd: '/project' })
      expect({ command, after: await snapshotOf(files) }).toEqual({ command, after: untouched })
    }),
    { numRuns: isSoak ? 100_000 : isDeep ? 25_000 : 2_500 },
  )
  expect(ran).toBeGreaterThan(30)
})
