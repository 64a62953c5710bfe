/** A file as people and models are told of it. */
export interface NamedFile {
  readonly filename?: string | undefined
  readonly mediaType: string
}

/** The longest name that is repeated. */
const LONGEST = 200

/** What stands in the place of a file that is not sent, so that the model knows of it. */
export function leftOutText({ filename, mediaType }: NamedFile, why: string): string {
  const named = [filename, mediaType].filter(Boolean).join(', ')
  return `[A file was left out: ${oneLine(named) || 'without a name'}, ${why}]`
}

/** A file in the words of a sentence: `voice.ogg (audio/ogg)`. */
export function describeFile({ filename, mediaType }: NamedFile): string {
  return oneLine(`${filename || 'a file'}${mediaType && ` (${mediaType})`}`)
}

/** Names are a stranger's words: they must not end the brackets, nor begin a line. */
function oneLine(text: string): string {
  return text.replaceAll(/[\p{Cc}\p{Zl}\p{Zp}[\]]+/gu, ' ').slice(0, LONGEST)
}
