import type { ChatTransport, UIMessage, UIMessageChunk } from 'ai'

/** Sends conversations and streams answers: any `ChatTransport` of the AI SDK. */
export type MessageTransport<MESSAGE extends UIMessage = UIMessage> = ChatTransport<MESSAGE>

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
