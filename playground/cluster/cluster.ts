import { spawn, type ChildProcess } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import type { Front } from './front.ts'
import { startFront } from './front.ts'

/** A process of the cluster. */
export interface ClusterProcess {
  readonly role: 'server' | 'worker'
  /** The URL of a server, the name of a worker. */
  readonly name: string
  readonly pid: number | undefined
}

/** Servers and workers on one database, with a page and a proxy in front. */
export interface Cluster {
  readonly front: Front
  readonly processes: readonly ClusterProcess[]
  /** Ends a process as a crash does, and starts another one; resolves when that is there. */
  crash(process: ClusterProcess): Promise<void>
  /** Starts another server, and lets this one end when what goes on there is over. */
  replace(server: ClusterProcess): Promise<void>
  /** Ends all of it. */
  close(): Promise<void>
}

/** Options of {@link startCluster}. */
export interface ClusterOptions {
  readonly databaseUrl: string
  /** Of the built page. */
  readonly outDir: string
  /** Of the page. Default: any that is free. */
  readonly port?: number
  /** Default 2. */
  readonly servers?: number
  /** Default 2. */
  readonly workers?: number
  /** `ASSENT_*` variables: which model, how fast. */
  readonly env?: Readonly<Record<string, string>>
}

interface Child extends ClusterProcess {
  readonly process: ChildProcess
  readonly ended: Promise<unknown>
}

export async function startCluster({
  databaseUrl,
  outDir,
  port = 0,
  servers = 2,
  workers = 2,
  env = {},
}: ClusterOptions): Promise<Cluster> {
  const front = await startFront(outDir, { port })
  const children = new Set<Child>()
  const approvalSecret = randomBytes(32).toString('hex')

  async function start(role: 'server' | 'worker'): Promise<Child> {
    const file = join(import.meta.dirname, `${role}.ts`)
    const child = spawn(process.execPath, ['--conditions=@assent/source', file], {
      // Ctrl+C is for this process, which ends the others.
      detached: true,
      stdio: ['ignore', 'pipe', 'inherit'],
      env: {
        PATH: process.env['PATH'] ?? '',
        ...env,
        DATABASE_URL: databaseUrl,
        WORLD_URL: front.url,
        APPROVAL_SECRET: approvalSecret,
      },
    })
    const ended = once(child, 'exit')
    const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]()
    const { value, done } = await lines.next()
    if (done === true) throw new Error(`A ${role} ended before it was there.`)
    const started: Child = { role, name: value, pid: child.pid, process: child, ended }
    children.add(started)
    void ended.then(() => leave(started))
    if (role === 'server') tellFront()
    return started
  }

  function leave(child: Child): void {
    if (children.delete(child) && child.role === 'server') tellFront()
  }

  function tellFront(): void {
    front.setServers([...children].flatMap(({ role, name }) => (role === 'server' ? [name] : [])))
  }

  function find(wanted: ClusterProcess): Child {
    for (const child of children) if (child.name === wanted.name) return child
    throw new Error(`${wanted.name} does not run any more.`)
  }

  async function close(): Promise<void> {
    const ending = [...children]
    children.clear()
    for (const { process: child } of ending) child.kill('SIGTERM')
    const late = setTimeout(() => {
      for (const { process: child } of ending) child.kill('SIGKILL')
    }, 5_000)
    await Promise.all(ending.map(({ ended }) => ended))
    clearTimeout(late)
    await front.close()
  }

  try {
    const roles = [
      ...Array.from({ length: servers }, () => 'server' as const),
      ...Array.from({ length: workers }, () => 'worker' as const),
    ]
    await Promise.all(roles.map(start))
  } catch (error) {
    await close()
    throw error
  }

  return {
    front,
    get processes() {
      return [...children].map(({ role, name, pid }) => ({ role, name, pid }))
    },
    async crash(doomed) {
      const child = find(doomed)
      child.process.kill('SIGKILL')
      await child.ended
      await start(child.role)
    },
    async replace(server) {
      const child = find(server)
      await start('server')
      leave(child)
      child.process.kill('SIGTERM')
      await child.ended
    },
    close,
  }
}
