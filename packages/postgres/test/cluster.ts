import { Client } from 'pg'
import type { TestProject } from 'vitest/node'
import { openPostgres } from '../src/open-postgres.ts'
import { startEmbedded } from './embedded-server.ts'

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
  const server = given
    ? { url: given, stop: async () => {} }
    : await startEmbedded({
        name: FOLDER,
        // What tests crashes has a server of its own.
        settings: { fsync: 'off', full_page_writes: 'off', synchronous_commit: 'off' },
      })
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
