#!/usr/bin/env node
import { runCli } from './run-cli.ts'

// Whoever reads what is printed may have read enough.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code === 'EPIPE') process.exit(0)
  throw error
})

const ending = new AbortController()
for (const name of ['SIGINT', 'SIGTERM'] as const) {
  process.once(name, () => ending.abort(new DOMException(`Ended by ${name}.`, 'AbortError')))
}

process.exitCode = await runCli({
  args: process.argv.slice(2),
  env: process.env,
  stdout: process.stdout,
  stderr: process.stderr,
  width: process.stdout.isTTY ? process.stdout.columns : undefined,
  now: Date.now,
  signal: ending.signal,
})
