import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { LanguageModelV4StreamPart } from '@ai-sdk/provider'
import { onTestFinished } from 'vitest'
import { streamOf } from './kills/model-answer.ts'
import type { SpokenAnswer, TalkingModel } from './talking-model.ts'

/** A model for another process, whose answers are said by the test. */
export interface RemoteModel extends Pick<TalkingModel, 'answer'> {
  readonly url: string
  /** How many answers it was asked for. */
  asked(): number
}

/**
 * A model for `httpModel` in another process, whose answers are said by the test.
 *
 * @param atEnd takes what ends it
 */
export async function remoteModel(
  atEnd: (end: () => void) => void = onTestFinished,
): Promise<RemoteModel> {
  const answers: PromiseWithResolvers<SpokenAnswer>[] = []
  const at = (count: number) => (answers[count - 1] ??= Promise.withResolvers<SpokenAnswer>())
  let asked = 0
  const server = createServer((request, response) => {
    const aborted = Promise.withResolvers<void>()
    response.on('close', () => void (response.writableFinished || aborted.resolve()))
    const write = (...parts: LanguageModelV4StreamPart[]) =>
      void response.write(parts.map((part) => `${JSON.stringify(part)}\n`).join(''))
    const [start, ...end] = streamOf('stop', [{ type: 'text-end', id: 't' }])
    if (start) write(start, { type: 'text-start', id: 't' })
    request.resume()
    at(++asked).resolve({
      say: (delta) => write({ type: 'text-delta', id: 't', delta }),
      finish() {
        write(...end)
        response.end()
      },
      fail: () => void response.destroy(),
      aborted: aborted.promise,
    })
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  atEnd(() => {
    server.close()
    server.closeAllConnections()
  })
  const { port } = server.address() as AddressInfo
  return {
    url: `http://127.0.0.1:${port}`,
    answer: (count) => at(count).promise,
    asked: () => asked,
  }
}
