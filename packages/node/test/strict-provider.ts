import { createOpenAI } from '@ai-sdk/openai'
import type { LanguageModel } from 'ai'
import { serveListener } from './serve-chat.ts'

/** A provider on loopback, in the words of OpenAI's chat completions. */
export interface StrictProvider {
  readonly model: LanguageModel
  /** The messages of each request, as JSON. */
  readonly asked: string[]
}

/** What a provider refuses a request with; status 0 cuts the connection. */
export interface ProviderRefusal {
  readonly status: number
  readonly message: string
  readonly code?: string
}

/**
 * Serves a provider that answers `said <count>` to each request that it does not refuse.
 *
 * @param refuse looks at the messages of a request, as JSON
 */
export async function strictProvider(
  refuse: (messages: string) => ProviderRefusal | undefined = () => undefined,
): Promise<StrictProvider> {
  const asked: string[] = []
  const origin = await serveListener((request, response) => {
    void (async () => {
      let body = ''
      for await (const bytes of request.setEncoding('utf8')) body += bytes
      const messages = JSON.stringify(JSON.parse(body).messages)
      asked.push(messages)
      const refusal = refuse(messages)
      if (refusal) {
        const { status, message, code = 'invalid_value' } = refusal
        if (status === 0) return response.destroy()
        response.writeHead(status, { 'content-type': 'application/json' })
        const type = 'invalid_request_error'
        return response.end(JSON.stringify({ error: { message, code, type, param: null } }))
      }
      response.writeHead(200, { 'content-type': 'text/event-stream' })
      const head = { id: 'x', object: 'chat.completion.chunk', created: 1, model: 'm' }
      const chunk = (delta: object, finish_reason: string | null) =>
        `data: ${JSON.stringify({ ...head, choices: [{ index: 0, delta, finish_reason }] })}\n\n`
      const said = chunk({ role: 'assistant', content: `said ${asked.length}` }, null)
      return response.end(`${said}${chunk({}, 'stop')}data: [DONE]\n\n`)
    })()
  })
  const provider = createOpenAI({ baseURL: origin, apiKey: 'none' })
  return { model: provider.chat('gpt-test'), asked }
}
