/** What the processes of the cluster are told by environment variables. */
export interface ClusterSettings {
  /** `DATABASE_URL` */
  readonly databaseUrl: string
  /** `WORLD_URL`: where reports are sent to, and counted. */
  readonly worldUrl: string
  /** `APPROVAL_SECRET`: the same for all servers. */
  readonly approvalSecret: string
  /** `HOST`, default 127.0.0.1 */
  readonly host: string
  /** `PORT`, default any that is free */
  readonly port: number
}

/** @throws Error that names the variable that is missing */
export function readSettings(env: Readonly<Record<string, string | undefined>>): ClusterSettings {
  const read = (name: string): string => {
    const value = env[name]
    if (!value) throw new Error(`${name} is missing: see docs/cluster.md.`)
    return value
  }
  return {
    databaseUrl: read('DATABASE_URL'),
    worldUrl: read('WORLD_URL'),
    approvalSecret: read('APPROVAL_SECRET'),
    host: env['HOST'] ?? '127.0.0.1',
    port: Number(env['PORT'] ?? 0),
  }
}
