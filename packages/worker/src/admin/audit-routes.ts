import { type AuditFilter, type AuditLog, type AuditPage, RequestError } from '@assent/node'
import { AUDIT_KINDS, CALL_OUTCOMES, CALL_PHASES } from './audit-words.ts'
import type { AdminRoute } from './admin-route.ts'
import { given } from './given.ts'
import { jsonAnswer } from './json-answer.ts'
import { queryParameters, type QueryParameters } from './query-parameters.ts'

/** What can be asked of an audit. */
export function auditRoutes(audit: AuditLog): readonly AdminRoute[] {
  return [
    {
      method: 'GET',
      path: ['audit', 'entries'],
      answer: async ({ request }) => {
        const query = queryParameters(request)
        return jsonAnswer({ entries: await audit.query({ ...filterOf(query), ...pageOf(query) }) })
      },
    },
    {
      method: 'GET',
      path: ['audit', 'calls'],
      answer: async ({ request }) => {
        const query = queryParameters(request)
        const { kind: _kind, ...filter } = filterOf(query)
        return jsonAnswer({ calls: await audit.calls({ ...filter, ...pageOf(query) }) })
      },
    },
    {
      method: 'GET',
      path: ['audit', 'verification'],
      answer: async ({ request }) => {
        const head = headOf(queryParameters(request).text('head'))
        return jsonAnswer(await audit.verify(head && { head }))
      },
    },
    {
      method: 'GET',
      path: ['audit', 'export'],
      answer: ({ request }) => {
        const lines = audit.exportJsonl(filterOf(queryParameters(request)))
        return new Response(toBody(lines), {
          headers: {
            'content-type': 'application/jsonl; charset=utf-8',
            'content-disposition': 'attachment; filename="audit.jsonl"',
          },
        })
      },
    },
  ]
}

function filterOf(query: QueryParameters): AuditFilter {
  const fields = {
    conversationId: query.text('conversation'),
    taskId: query.text('task'),
    toolName: query.text('tool'),
    status: query.one('status', CALL_PHASES),
    outcome: query.one('outcome', CALL_OUTCOMES),
    kind: query.one('kind', AUDIT_KINDS),
    since: query.whole('since'),
    until: query.whole('until'),
    text: query.text('text'),
  }
  return given(fields)
}

function pageOf(query: QueryParameters): AuditPage {
  return given({ limit: query.whole('limit') || undefined, before: query.whole('before') })
}

function headOf(text: string | undefined): { seq: number; hash: string } | undefined {
  if (text === undefined) return undefined
  const [, seq, hash] = /^(\d{1,15}):([0-9a-f]{64})$/.exec(text) ?? []
  if (hash !== undefined) return { seq: Number(seq), hash }
  throw new RequestError(400, 'bad-query', 'head: must be a number, a colon and a hash.')
}

function toBody(lines: AsyncIterable<string>): ReadableStream<Uint8Array> {
  const encoder = new TextEncoder()
  const iterator = lines[Symbol.asyncIterator]()
  return new ReadableStream({
    async pull(controller) {
      const { done, value } = await iterator.next()
      if (done === true) controller.close()
      else controller.enqueue(encoder.encode(`${value}\n`))
    },
    async cancel() {
      await iterator.return?.()
    },
  })
}
