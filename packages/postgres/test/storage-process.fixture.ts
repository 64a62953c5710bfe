import { createInterface } from 'node:readline'
import { postgresStorage } from '../src/conversations/postgres-storage.ts'
import { openPostgres } from '../src/open-postgres.ts'

// Does with a store what it is told to, a line each: `write <namespace> <key> <value>`.

const [url = ''] = process.argv.slice(2)
const database = await openPostgres({ url, maxConnections: 2 })
const storage = postgresStorage(database)
process.stdout.write('open\n')
for await (const line of createInterface({ input: process.stdin })) {
  const [what, namespace = '', key = '', value = ''] = line.split(' ')
  if (what === 'write') {
    await storage.write(namespace, { put: new Map([[key, JSON.parse(value)]]) })
    process.stdout.write('written\n')
  } else {
    const records = await storage.read(namespace)
    process.stdout.write(`${JSON.stringify([...records])}\n`)
  }
}
await database.close()
