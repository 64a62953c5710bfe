import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'

/** Another process, which runs a file of the tests. */
export interface NodeProcess {
  readonly pid: number
  /** The next line that it prints; rejects when it ends before. */
  line(): Promise<string>
  /** Everything that it still prints, line by line. */
  lines(): AsyncIterable<string>
  say(line: string): void
  /** Ends it as a crash does. */
  kill(): void
  /** Resolves when it is gone, with its exit code; `null` when it was killed. */
  readonly ended: Promise<number | null>
}

/** Starts a TypeScript file in a process of its own, on the sources of the packages. */
export function startNode(file: string, ...args: string[]): NodeProcess {
  const child = spawn(process.execPath, ['--conditions=@assent/source', file, ...args], {
    stdio: ['pipe', 'pipe', 'inherit'],
  })
  const { pid, stdin, stdout } = child
  if (pid === undefined) throw new Error(`${file} could not be started.`)
  const ended = once(child, 'exit').then(([code]) => (typeof code === 'number' ? code : null))
  // It may be killed while something is on its way to it.
  stdin.on('error', () => undefined)
  const iterator = createInterface({ input: stdout })[Symbol.asyncIterator]()
  return {
    pid,
    ended,
    async line() {
      const { value, done } = await iterator.next()
      if (done === true) throw new Error(`The process ended before it printed a line.`)
      return value
    },
    lines: () => ({ [Symbol.asyncIterator]: () => iterator }),
    say: (line) => void stdin.write(`${line}\n`),
    kill: () => void child.kill('SIGKILL'),
  }
}
