import { once } from 'node:events'
import { DatabaseSync } from 'node:sqlite'

// Keeps a database locked, as a foreign process may, from its start until it is told a line.
const [path = ''] = process.argv.slice(2)
const sqlite = new DatabaseSync(path)
sqlite.exec('PRAGMA busy_timeout = 5000; BEGIN EXCLUSIVE')
process.stdout.write('locked\n')
await once(process.stdin, 'data')
sqlite.exec('COMMIT')
sqlite.close()
process.stdout.write('free\n')
process.exit()
