import { randomBytes, timingSafeEqual } from 'node:crypto'
import { once } from 'node:events'
import { createServer } from 'node:http'
import { RequestError, toNodeListener } from '@assent/node'
import { createAdminHandler } from '../admin/create-admin-handler.ts'
import { CliError } from './cli-error.ts'
import { EXIT, type Command } from './command.ts'

const HOST = '127.0.0.1'
const PATH = '/api'

export const serve: Command = {
  name: 'serve',
  summary:
    'Serves the audit and the tasks as JSON on 127.0.0.1, to whoever has the token it prints',
  options: {
    port: { value: 'port', help: 'default: one that is free' },
    'read-only': { help: 'nothing can be changed' },
  },
  async run({ options, stores, out, env, signal }) {
    const port = options.whole('port', 0, 65_535) ?? 0
    const token = env['ASSENT_TOKEN'] || randomBytes(24).toString('base64url')
    const handle = createAdminHandler({
      ...(await stores()),
      path: PATH,
      authorize: authorizeWith(token, options.has('read-only')),
    })
    const server = createServer(toNodeListener(handle))
    const listening = once(server, 'listening')
    server.listen(port, HOST)
    try {
      await listening
    } catch (cause) {
      const text = `${HOST}:${port} cannot be served: another program has it; try --port 0.`
      throw new CliError('unwritable', text, { cause })
    }
    const address = server.address()
    const url = `http://${HOST}:${typeof address === 'object' ? address?.port : port}${PATH}`
    out.say({ url, token }, () => {
      out.line(`Serving ${url}`)
      out.line(`Send the header  authorization: Bearer ${token}`)
    })
    if (!signal.aborted) await once(signal, 'abort')
    server.close()
    // Whoever listens for changes would keep it open.
    server.closeAllConnections()
    return EXIT.done
  },
}

function authorizeWith(token: string, isReadOnly: boolean): (request: Request) => string | false {
  const expected = Buffer.from(`Bearer ${token}`)
  return ({ headers, method, url }) => {
    // A page elsewhere whose name was made to lead here sends that name.
    if (new URL(url).hostname !== HOST && new URL(url).hostname !== 'localhost') {
      throw new RequestError(403, 'forbidden', `Ask ${HOST} by this name.`)
    }
    const sent = Buffer.from(headers.get('authorization') ?? '')
    if (sent.length !== expected.length || !timingSafeEqual(sent, expected)) return false
    if (isReadOnly && method !== 'GET') {
      throw new RequestError(403, 'forbidden', 'It is served read-only.')
    }
    return 'command line'
  }
}
