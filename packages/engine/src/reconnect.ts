import type { UIMessage } from 'ai'
import { EngineError, toEngineError } from './errors.ts'
import type { MessageEngine } from './message-engine.ts'
import type { Runner } from './runner.ts'
import type { TurnHost } from './turn-host.ts'

/** What taking up a stream needs of its engine. */
export interface ReconnectHost<MESSAGE extends UIMessage> {
  readonly host: TurnHost<MESSAGE>
  readonly runner: Runner<MESSAGE>
  /** `undefined` once the engine is ready. Throws `disposed`. */
  waitUntilReady(): Promise<void> | undefined
}

/** Asks the server whether it still streams for this conversation, and takes the stream up. */
export function createReconnect<MESSAGE extends UIMessage>({
  host,
  runner,
  waitUntilReady,
}: ReconnectHost<MESSAGE>): Pick<MessageEngine<MESSAGE>, 'reconnect'> & { cancel(): void } {
  const { store, transport } = host
  let asking: AbortController | undefined

  function cancel(): void {
    asking?.abort(new DOMException('Reconnecting was aborted.', 'AbortError'))
    asking = undefined
  }

  return {
    cancel,
    async reconnect(extras = {}) {
      cancel()
      const controller = new AbortController()
      try {
        const ready = waitUntilReady()
        if (ready) await ready
        if (runner.isBusy()) {
          throw new EngineError('busy', 'A turn is open already; there is nothing to take up.')
        }
        asking = controller
        const general = host.requestOptions()
        const stream = await transport.reconnectToStream({
          chatId: host.conversationId,
          abortSignal: controller.signal,
          headers: { ...general.headers, ...extras.headers },
          body: { ...general.body, ...extras.body },
          metadata: extras.metadata ?? general.metadata,
        })
        if (!stream) return { turnId: undefined, requestState: store.getState().requestState }
        // Something else began, or this was aborted, while the server was asked.
        if (asking !== controller || runner.isBusy()) {
          await stream.cancel().catch(() => undefined)
          throw new EngineError('busy', 'Another turn was opened meanwhile.')
        }
        const isReplay = transport.resumeStreamIsReplay ?? true
        return await runner.takeUp(stream, { isReplay, extras }).outcome.promise
      } catch (error) {
        return {
          turnId: undefined,
          requestState: store.getState().requestState,
          error: toEngineError(error, 'http_network', 'Reconnecting failed', { retryable: true }),
        }
      } finally {
        if (asking === controller) asking = undefined
      }
    },
  }
}
