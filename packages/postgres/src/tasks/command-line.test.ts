import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { spawnCli, startCli } from '../../../worker/test/run-cli.ts'
import { createTestDatabase, type TestDatabase } from '../../test/test-database.ts'
import { postgresInbox } from './postgres-inbox.ts'

const STORES = join(import.meta.dirname, '../../test/stores.fixture.ts')

let test: TestDatabase

beforeAll(async () => {
  test = await createTestDatabase()
})

afterAll(() => test.end())

describe('the command line, by a module of stores', { timeout: 60_000 }, () => {
  it('shows and changes tasks in PostgreSQL, and ends', async () => {
    const env = { DATABASE_URL: test.url, ASSENT_STORES: STORES }
    const inbox = postgresInbox(await test.open())
    await inbox.add({ id: 'a', conversationId: 'c', input: 'Order paper' })
    const claim = await inbox.claim({ worker: 'w', leaseMs: 1_000 })
    if (!claim) throw new Error('Nothing was there.')
    await inbox.fail(claim, { code: 'broken', message: 'It broke.' }, undefined)

    const [listed, shown, audited] = await Promise.all([
      spawnCli(['tasks', 'list', '--json', '--stores', STORES], {
        env: { DATABASE_URL: test.url },
      }),
      spawnCli(['tasks', 'show', 'a'], { env }),
      spawnCli(['audit', 'list'], { env }),
    ])
    expect(JSON.parse(listed.stdout)).toMatchObject([{ id: 'a', state: 'dead' }])
    expect(shown).toMatchObject({ code: 0, stdout: expect.stringContaining('Order paper') })
    expect([audited.code, audited.stderr]).toEqual([3, expect.stringContaining('have no audit')])

    const replayed = await spawnCli(['tasks', 'replay', 'a', '--json'], { env })
    expect(JSON.parse(replayed.stdout)).toEqual({ replayed: ['a'], refused: [] })
    expect(await inbox.get('a')).toMatchObject({ state: 'queued', attempts: 0 })
  })

  it('serves tasks, and tells of what another process changes', async () => {
    const env = { DATABASE_URL: test.url, ASSENT_STORES: STORES, ASSENT_TOKEN: 'secret' }
    const served = startCli(['serve'], { env })
    const url = (await served.line()).replace('Serving ', '')
    const headers = { authorization: 'Bearer secret' }
    const changes = await fetch(`${url}/changes`, { headers })
    const reader = changes.body?.pipeThrough(new TextDecoderStream()).getReader()
    const changed = async () => expect((await reader?.read())?.value).toContain('event: change')
    const ids = async (): Promise<string[]> => {
      const { tasks }: { tasks: { id: string }[] } = await (
        await fetch(`${url}/tasks`, { headers })
      ).json()
      return tasks.map(({ id }) => id)
    }
    await changed()
    await postgresInbox(await test.open()).add({ id: 'b', conversationId: 'd', input: 'x' })
    do await changed()
    while (!(await ids()).includes('b'))
    expect((await fetch(`${url}/audit/entries`, { headers })).status).toBe(404)
    expect(await served.end('SIGTERM')).toBe(0)
  })
})
