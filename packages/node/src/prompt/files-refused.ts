import { describeFile, type NamedFile } from './named-file.ts'

/**
 * Why files of the newest message cannot be sent to the model: it does not take them, they could not be
 * fetched, or they are not among `acceptedMedia`.
 */
export type RefusalReason = 'model' | 'fetch' | 'accepted'

/** Files that the message names. A request can hold thousands. */
const MOST_NAMED = 5
const MOST_TOLD = 50

/** The newest message has files that its model cannot be given. Nothing was run. */
export class FilesRefusedError extends Error {
  override readonly name = 'FilesRefusedError'
  /** The first 50 of them. */
  readonly files: readonly NamedFile[]

  /** @param accepted the media types that are taken, where an option says so */
  constructor(
    reason: RefusalReason,
    files: readonly NamedFile[],
    { cause, accepted = [] }: { cause?: unknown; accepted?: readonly string[] } = {},
  ) {
    const more = files.length - MOST_NAMED
    const names = files.slice(0, MOST_NAMED).map(describeFile).join(', ')
    super(wordsOf(reason, more > 0 ? `${names} and ${more} more` : names, accepted), { cause })
    this.files = files
      .slice(0, MOST_TOLD)
      .map(({ filename, mediaType }) => ({ filename, mediaType }))
  }
}

function wordsOf(reason: RefusalReason, named: string, accepted: readonly string[]): string {
  const without = 'Send the message without it, or begin a new conversation.'
  switch (reason) {
    case 'model':
      return `The model can’t read ${named}. ${without}`
    case 'fetch':
      return `${named} couldn’t be fetched for the model. ${without}`
    case 'accepted': {
      const supported = accepted.length > 0 ? ` Supported: ${accepted.join(', ')}.` : ''
      return `${named} isn’t supported here.${supported} Send the message without it.`
    }
  }
}
