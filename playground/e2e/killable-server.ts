import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { createInterface } from 'node:readline'

const FIXTURE = join(import.meta.dirname, 'killable-server.fixture.ts')

/** The playground's server in a process of its own. */
export interface KillableServer {
  readonly url: string
  /** Ends it as a crash does; resolves when it is gone. */
  kill(): Promise<void>
}

/** @param port 0 for any that is free */
export async function startKillableServer(
  outDir: string,
  { port = 0, database }: { readonly port?: number; readonly database: string },
): Promise<KillableServer> {
  const args = ['--conditions=@assent/source', FIXTURE, outDir, String(port), database]
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] })
  const exit = once(child, 'exit')
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]()
  for (;;) {
    const { value, done } = await lines.next()
    if (done === true) throw new Error('The server ended before it could be reached.')
    if (!value.startsWith('http')) continue
    return {
      url: value,
      async kill() {
        child.kill('SIGKILL')
        await exit
      },
    }
  }
}
