import { createInterface } from 'node:readline'
import { openDatabase } from '../src/sqlite/open-database.ts'
import { sqliteStorage } from '../src/sqlite/sqlite-storage.ts'

// Does with a store what it is told to, a line each: `write <namespace> <key> <value>`.

const [path = ''] = process.argv.slice(2)
const database = openDatabase(path)
const storage = sqliteStorage(database)
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
database.close()
