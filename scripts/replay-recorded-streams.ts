// Replays the streams that the AI SDK's own repository has recorded of real providers, through those
// providers, a chat handler and an engine: `node --run replay <that repository>`. Nothing of it is copied.
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { replayRecording, type Replay } from './replay-recording.ts'

const [root] = process.argv.slice(2)
const paths =
  root === undefined ? [] : globSync('packages/*/src/**/__fixtures__/*.chunks*.txt', { cwd: root })
if (root === undefined || paths.length === 0) {
  console.error('Give the folder of a clone of the AI SDK: there are no recordings here.')
  process.exit(2)
}

const replays: Replay[] = []
for (const path of paths.toSorted()) {
  const replay = await replayRecording(path, readFileSync(join(root, path), 'utf8'))
  replays.push(replay)
  if (replay.result !== 'same') console.log(`${replay.result}  ${path}\n  ${replay.why ?? ''}`)
}
const count = (result: Replay['result']) => replays.filter((one) => one.result === result).length
const sum = (of: (replay: Replay) => number) => replays.reduce((total, one) => total + of(one), 0)
console.log(
  `${replays.length} recordings: ${count('same')} read as the AI SDK reads them, ` +
    `${count('different')} otherwise, ${count('unread')} that it cannot read, ${count('skipped')} skipped. ` +
    `${sum(({ chunks }) => chunks)} chunks, ${sum(({ asked }) => asked)} calls that ran once, after their yes.`,
)
if (count('different') > 0) process.exitCode = 1
