import type { NamedPlugin, TurnState } from '@assent/engine'

/** The headers that name the request of a turn whose answer is meant. */
export function requestHeaders(turn: TurnState | undefined): Record<string, string> {
  return turn ? { 'x-assent-request': `${turn.id}/${turn.lastStep?.step ?? 0}` } : {}
}

/**
 * Stops an answer on the server, too, when a person stops it here. A page that is closed or reloaded
 * stops nothing: it finds the answer again.
 *
 * @param api where conversations are posted to
 */
export function stopOnServer(api: string): NamedPlugin {
  return {
    name: 'stop-on-server',
    onBeforeRequest({ request, getState }) {
      Object.assign(request.headers, requestHeaders(getState().turn))
    },
    onTurnAbort({ conversationId, getState }) {
      // This answer only: by the time it arrives, the next message may be on its way.
      void fetch(`${api}/${encodeURIComponent(conversationId)}/stream`, {
        method: 'DELETE',
        headers: requestHeaders(getState().turn),
        keepalive: true,
      }).catch(() => undefined)
    },
  }
}
