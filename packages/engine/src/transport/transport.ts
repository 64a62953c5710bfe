import type { ChatTransport, UIMessage, UIMessageChunk } from 'ai'

/**
 * What a transport is given beside the AI SDK's options. One that does not know it is judged by its
 * chunks alone.
 */
export interface ResponseSigns {
  /**
   * Says that the request is alive where no chunk says so: it is made again, bytes came that are no
   * chunk, such as the comments by which a server keeps a connection open.
   *
   * @param pauseMs how long nothing is to be expected, such as until the next try
   */
  onActivity?: (pauseMs?: number) => void
}

/**
 * What a request is called, for servers that keep the answers to requests. One that does not know it
 * answers each request anew.
 */
export interface RequestName {
  /** The same when the same request is made again. */
  requestId?: string
  /** Requests of this conversation before, whose answers nobody waits for any more. */
  supersedes?: readonly string[]
}

type Asked<METHOD extends (options: never) => unknown> = Parameters<METHOD>[0] &
  ResponseSigns &
  RequestName

/** Sends conversations and streams answers: any `ChatTransport` of the AI SDK. */
export interface MessageTransport<MESSAGE extends UIMessage = UIMessage> extends Omit<
  ChatTransport<MESSAGE>,
  'sendMessages' | 'reconnectToStream'
> {
  sendMessages(options: Asked<ChatTransport<MESSAGE>['sendMessages']>): Promise<ChunkStream>
  reconnectToStream(
    options: Asked<ChatTransport<MESSAGE>['reconnectToStream']>,
  ): Promise<ChunkStream | null>
}

/** What one request carries beside its messages; hooks may add to it. */
export interface RequestExtras {
  headers: Record<string, string>
  /** Properties merged into the JSON body of the request. */
  body: Record<string, unknown>
  metadata: unknown
}

/** Headers, body and metadata of the requests of one turn. */
export type TurnRequestOptions = Partial<RequestExtras>

/** The stream that answers a request. */
export type ChunkStream = ReadableStream<UIMessageChunk>
