// Runs commands that come line by line, as JSON in Base64, in the sandbox of the folder that it is given; what
// became of them is printed likewise. A process of its own: it may be another user's than the test's.
import { createInterface } from 'node:readline'
import { shellTrial, type TrialOptions } from './shell-trial.ts'

const [root = '', secret = ''] = process.argv.slice(2)
const { inside } = shellTrial(root)

for await (const line of createInterface({ input: process.stdin })) {
  const { command, ...options } = JSON.parse(Buffer.from(line, 'base64').toString()) as {
    command: string
  } & TrialOptions
  const started = performance.now()
  let answer: object
  try {
    const { output, ended, exitCode, note } = await inside(command, options)
    answer = {
      ended,
      exitCode,
      note,
      output: output.slice(0, 4_000),
      leaks: secret !== '' && output.includes(secret),
    }
  } catch (error) {
    answer = { failed: String(error) }
  }
  const said = JSON.stringify({ ...answer, ms: performance.now() - started })
  process.stdout.write(`${Buffer.from(said).toString('base64')}\n`)
}
