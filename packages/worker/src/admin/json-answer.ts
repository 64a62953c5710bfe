import { visibleJson } from '@assent/engine/reading'

/** An answer in JSON in which no character is hidden: people look at it with what prints it. */
export function jsonAnswer(value: unknown, status = 200): Response {
  return new Response(visibleJson(value), {
    status,
    headers: { 'content-type': 'application/json' },
  })
}
