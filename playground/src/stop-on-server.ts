import { requestName, type NamedPlugin } from '@assent/engine'

/**
 * Stops an answer on the server, too, when a person stops it here. A page that is closed or reloaded
 * stops nothing: it finds the answer again.
 *
 * @param api where conversations are posted to
 */
export function stopOnServer(api: string): NamedPlugin {
  return {
    name: 'stop-on-server',
    onTurnAbort({ conversationId, getState }) {
      const { turn } = getState()
      const requestId = turn && requestName(turn)
      if (!requestId) return
      // This answer only: by the time it arrives, the next message may be on its way.
      const stream = `${api}/${encodeURIComponent(conversationId)}/stream`
      const query = new URLSearchParams({ requestId })
      void fetch(`${stream}?${query}`, { method: 'DELETE', keepalive: true }).catch(() => undefined)
    },
  }
}
