import type { UIMessage } from 'ai'
import { acceptFiles, type AcceptedMedia } from '../prompt/accepted-media.ts'
import { FilesRefusedError } from '../prompt/files-refused.ts'
import { RequestError } from './request-error.ts'

/**
 * The messages of a request as the model may be given them, as `acceptFiles` makes them.
 *
 * @throws RequestError 415 when the message that is answered has a file that is not taken
 */
export function takeFiles(
  messages: readonly UIMessage[],
  accepted: AcceptedMedia | undefined,
): UIMessage[] {
  try {
    return acceptFiles(messages, accepted)
  } catch (error) {
    if (!(error instanceof FilesRefusedError)) throw error
    throw new RequestError(415, 'files-refused', error.message)
  }
}
