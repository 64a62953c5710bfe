import type { FileUIPart, UIMessage } from 'ai'
import { FilesRefusedError } from './files-refused.ts'
import { leftOutText } from './named-file.ts'

/**
 * Which files messages may have, as media types: `'application/pdf'`, or `'image/*'` for all of a kind.
 * An empty list: none.
 */
export type AcceptedMedia = readonly string[]

type Part = UIMessage['parts'][number]

/**
 * The messages without the files that the model is never sent: those that are not accepted, and those
 * without an address. Where one was, a text says so; a later message must not fail of it.
 *
 * @throws FilesRefusedError when the message that is answered has one
 */
export function acceptFiles<MESSAGE extends UIMessage>(
  messages: readonly MESSAGE[],
  accepted: AcceptedMedia | undefined,
): MESSAGE[] {
  const refusalOf = (part: Part) => {
    if (part.type !== 'file') return undefined
    if (accepted && !isAccepted(part, accepted)) return 'accepted'
    return URL.canParse(part.url) || part.providerReference ? undefined : 'fetch'
  }
  const answered = messages.at(-1)
  if (answered?.role === 'user') {
    for (const reason of ['accepted', 'fetch'] as const) {
      const refused = answered.parts.filter(isFile).filter((part) => refusalOf(part) === reason)
      if (refused.length > 0) throw new FilesRefusedError(reason, refused, { accepted })
    }
  }
  return messages.map((message) => {
    const isWhole = message.parts.every((part) => refusalOf(part) === undefined)
    if (isWhole) return message
    const parts = message.parts.map((part) => {
      const reason = refusalOf(part)
      if (reason === undefined || !isFile(part)) return part
      const why = reason === 'fetch' ? 'which has no address' : 'which is not accepted here'
      return { type: 'text' as const, text: leftOutText(part, why) }
    })
    return { ...message, parts }
  })
}

/** Whether a file is of a type that a list names. */
export function isAccepted(
  { mediaType }: Pick<FileUIPart, 'mediaType'>,
  accepted: AcceptedMedia,
): boolean {
  // `audio/ogg; codecs=opus` is `audio/ogg`.
  const type = mediaType.split(';', 1).join('').trim().toLowerCase()
  return accepted.some((one) => {
    const wanted = one.trim().toLowerCase()
    return wanted === type || (wanted.endsWith('/*') && type.startsWith(wanted.slice(0, -1)))
  })
}

function isFile(part: Part): part is FileUIPart {
  return part.type === 'file'
}
