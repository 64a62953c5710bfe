import { startFront } from './front.ts'

// The front of the cluster by itself, for containers: `PAGE` is the folder of the built page, `SERVERS` are
// the URLs of the chat servers, with spaces between them.

const { PAGE = '', SERVERS = '', HOST = '127.0.0.1', PORT = '5180' } = process.env
const front = await startFront(PAGE, { host: HOST, port: Number(PORT) })
front.setServers(SERVERS.split(' ').filter(Boolean))
process.stdout.write(`${front.url}\n`)
for (const signal of ['SIGINT', 'SIGTERM'] as const) {
  process.once(signal, () => void front.close().then(() => process.exit(0)))
}
