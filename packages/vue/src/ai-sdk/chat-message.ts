import { EngineError, type MessageInput, type TurnRequestOptions } from '@assent/engine'
import type { ChatRequestOptions, CreateUIMessage, FileUIPart, UIMessage } from 'ai'

/** What `sendMessage` of the AI SDK takes: a message, with `messageId` in the place of one that was sent. */
export type ChatMessageInput<MESSAGE extends UIMessage> =
  | (CreateUIMessage<MESSAGE> & { text?: never; files?: never; messageId?: string })
  | {
      text: string
      files?: FileList | FileUIPart[]
      metadata?: MESSAGE['metadata']
      parts?: never
      messageId?: string
    }
  | {
      files: FileList | FileUIPart[]
      metadata?: MESSAGE['metadata']
      parts?: never
      messageId?: string
    }

/** The message as the engine takes it: the files of a file field as data URLs. */
export async function toMessageInput<MESSAGE extends UIMessage>(
  message: ChatMessageInput<MESSAGE>,
): Promise<MessageInput<MESSAGE>> {
  const input: MessageInput<MESSAGE> & { messageId?: string } = {
    ...message,
    ...(message.files && { files: await toFileParts(message.files) }),
  } as MessageInput<MESSAGE> & object
  delete input.messageId
  return input
}

async function toFileParts(files: FileList | FileUIPart[]): Promise<FileUIPart[]> {
  return Array.isArray(files) ? files : Promise.all([...files].map(toFilePart))
}

async function toFilePart(file: File): Promise<FileUIPart> {
  const reader = new FileReader()
  const url = await new Promise<string>((resolve, reject) => {
    reader.addEventListener('load', () => resolve(String(reader.result)))
    reader.addEventListener('error', () => {
      const text = `The file ${file.name} could not be read; choose it again.`
      reject(new EngineError('invalid_argument', text, { cause: reader.error }))
    })
    reader.readAsDataURL(file)
  })
  return { type: 'file', mediaType: file.type, filename: file.name, url }
}

/** Headers, body and metadata of one request, as the engine takes them. */
export function toRequest({ headers, body, metadata }: ChatRequestOptions): TurnRequestOptions {
  return {
    ...(headers && { headers: Object.fromEntries(new Headers(headers)) }),
    ...(body && { body: { ...body } }),
    ...(metadata !== undefined && { metadata }),
  }
}
