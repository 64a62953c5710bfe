import type { JSONValue } from 'ai'
import type { BotClient } from './bot-client.ts'
import { timeLimit } from './bot-http.ts'
import type { IncomingFile } from './incoming-message.ts'
import { TelegramError } from './telegram-error.ts'
import { FILE_LIMIT_MS } from './time-limits.ts'
import type { Clock } from './waiting.ts'

/** Fetches files that people sent. */
export interface FileFetcher {
  /**
   * A file as a part of a `UIMessage`, with its content in a `data:` address; `undefined` when it is
   * larger than allowed.
   *
   * @throws TelegramError
   */
  fetch(file: IncomingFile): Promise<JSONValue | undefined>
}

export interface FileFetcherOptions {
  readonly client: BotClient
  readonly token: string
  readonly apiRoot: string
  readonly clock: Clock
  readonly maxBytes: number
}

/** The Bot API hands out no larger file. */
export const MAX_DOWNLOAD_BYTES = 20 * 1_024 * 1_024

export function fileFetcher(options: FileFetcherOptions): FileFetcher {
  const { client, token, apiRoot, clock, maxBytes } = options

  async function read(path: string, signal: AbortSignal): Promise<Uint8Array | undefined> {
    const response = await fetch(`${apiRoot}/file/bot${token}/${path}`, { signal })
    if (!response.ok || !response.body) {
      throw new TelegramError(
        'refused',
        `Telegram does not hand the file out (${response.status}).`,
      )
    }
    const chunks: Uint8Array[] = []
    let length = 0
    for await (const chunk of response.body) {
      length += chunk.length
      // What Telegram says of the size is not taken for granted.
      if (length > maxBytes) return undefined
      chunks.push(chunk)
    }
    return Buffer.concat(chunks)
  }

  return {
    async fetch({ fileId, size = 0, mediaType, name }) {
      if (size > maxBytes) return undefined
      const bytes = await client.make(async (api, { signal }) => {
        const { file_path: path } = await api.getFile(fileId)
        if (path === undefined) throw new TelegramError('refused', 'Telegram has lost the file.')
        try {
          return await read(path, AbortSignal.any([signal, timeLimit(clock, FILE_LIMIT_MS)]))
        } catch (error) {
          if (error instanceof TelegramError) throw error
          // The address has the token in it, so nothing of this error is shown.
          throw new TelegramError('unreachable', 'A file could not be fetched from Telegram.')
        }
      })
      if (!bytes) return undefined
      return {
        type: 'file',
        mediaType,
        ...(name !== undefined && { filename: name }),
        url: `data:${mediaType};base64,${Buffer.from(bytes).toString('base64')}`,
      }
    },
  }
}
