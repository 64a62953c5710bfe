import { randomUUID } from 'node:crypto'
import { Client } from 'pg'
import { inject } from 'vitest'
import {
  openPostgres,
  type AssentPostgres,
  type OpenPostgresOptions,
} from '../src/open-postgres.ts'
import { TEMPLATE, urlOf } from './cluster.ts'

/** A database of a file's own. */
export interface TestDatabase {
  readonly url: string
  /** Opens it, as one more process has it. All are closed by `close`. */
  open(options?: Partial<OpenPostgresOptions>): Promise<AssentPostgres>
  /** Takes everything away that is in its tables. */
  empty(): Promise<void>
  /** Stops its clock at a time in milliseconds since the epoch; `undefined` lets it go again. */
  setClock(at: number | undefined): Promise<void>
  /** Closes what was opened. */
  close(): Promise<void>
  /** Closes what was opened, and the connection of the tests. */
  end(): Promise<void>
  /** Asks it directly. */
  readonly client: Client
}

/** @param template `undefined` for an empty one, without any tables */
export async function createTestDatabase(
  template: string | undefined = TEMPLATE,
): Promise<TestDatabase> {
  const server = inject('postgresUrl')
  const name = `f_${randomUUID().replaceAll('-', '')}`
  await asking(server, (client) => client.query(`create database ${name} template ${template}`))
  const url = urlOf(server, name)
  const client = new Client({ connectionString: url })
  // It may be cut off on purpose.
  client.on('error', () => undefined)
  await client.connect()
  const opened: AssentPostgres[] = []

  async function close(): Promise<void> {
    await Promise.all(opened.splice(0).map((one) => one.close()))
  }

  return {
    url,
    client,
    async open(options = {}) {
      const database = await openPostgres({
        url,
        maxConnections: 5,
        onError: (error) => process.stderr.write(`${String(error)}\n`),
        ...options,
      })
      opened.push(database)
      return database
    },
    async empty() {
      const { rows } = await client.query<{ name: string }>(
        `select format('assent.%I', tablename) as name from pg_tables
         where schemaname = 'assent' and tablename not in ('version', 'ledger_store')`,
      )
      const names = rows.map((row) => row.name).join(', ')
      if (names !== '') await client.query(`truncate ${names} restart identity cascade`)
    },
    async setClock(at) {
      const now =
        at === undefined
          ? 'floor(extract(epoch from clock_timestamp()) * 1000)::bigint'
          : `${Math.floor(at)}::bigint`
      await client.query(
        `create or replace function assent.clock_v1() returns bigint language sql volatile
         as $$ select ${now} $$`,
      )
    },
    close,
    async end() {
      await close()
      await client.end()
    },
  }
}

async function asking(url: string, ask: (client: Client) => Promise<unknown>): Promise<void> {
  const client = new Client({ connectionString: url })
  await client.connect()
  try {
    await ask(client)
  } finally {
    await client.end()
  }
}
