import { APICallError, RetryError, StreamProviderError, UnsupportedFunctionalityError } from 'ai'

/** Why a model refuses a prompt that it would take with less in it. */
export type Refusal =
  /** Its files; the words name these types, if any. */
  | { readonly type: 'files'; readonly mediaTypes: readonly string[] }
  /** It is too long; the words name the most that the model takes, if any. */
  | { readonly type: 'full'; readonly maxTokens: number | undefined }
  /** It does not say what it is about. */
  | { readonly type: 'unclear' }

/** Statuses by which providers refuse what is in a request, and not who sends it or when. */
const REFUSING: ReadonlySet<number> = new Set([400, 413, 415, 422])

/** How providers say that a prompt does not fit in the model's context. */
const FULL =
  /context_length_exceeded|exceed_context_size|context_window_exceeded|request_too_large|(?:prompt|input|request|conversation) (?:is|was) too (?:long|large)|(?:maximum|max|available) (?:context|prompt|input) (?:length|size|tokens)|context (?:window|limit|length)|input token count|too large for model|too many (?:input |total |text )*(?:tokens|bytes)|model token limit|reduce the length of the messages|exceeds the maximum size|input length should be/i
/** The most tokens, as it is named in one of these. */
const MOST_TOKENS =
  /(?:(?:context|prompt|input) (?:length|size|tokens|window)(?: of)?(?: only)?(?: is)?|> |tokens allowed \(|token limit:?|maximum of) ?([\d,_]{4,})/i

const ABOUT_FILES =
  /\b(?:files?|images?|audios?|videos?|pdfs?|documents?|attachments?|media|mime|inline_?data|image_url|input_file|base64)\b|media_type/i
const MEDIA_TYPE = /\b(?:application|audio|font|image|message|model|text|video)\/[\w.+*-]+/gi

/** Reads what a model, or the AI SDK on the way to it, refused a prompt with; `undefined` for any other failure. */
export function readRefusal(error: unknown): Refusal | undefined {
  if (RetryError.isInstance(error)) return readRefusal(error.lastError)
  const words = wordsOf(error)
  if (words === undefined) return undefined
  if (FULL.test(words)) return { type: 'full', maxTokens: numberIn(MOST_TOKENS.exec(words)?.[1]) }
  const mediaTypes = words.match(MEDIA_TYPE)?.map((type) => type.toLowerCase()) ?? []
  const isAboutFiles = mediaTypes.length > 0 || ABOUT_FILES.test(words)
  return isAboutFiles ? { type: 'files', mediaTypes } : { type: 'unclear' }
}

/** What a refusal says; `undefined` for what is none. */
function wordsOf(error: unknown): string | undefined {
  if (UnsupportedFunctionalityError.isInstance(error)) return error.message
  if (APICallError.isInstance(error)) {
    if (error.isRetryable || !REFUSING.has(error.statusCode ?? 0)) return undefined
    return `${error.message} ${error.responseBody ?? ''}`
  }
  if (StreamProviderError.isInstance(error)) {
    return error.isRetryable || !REFUSING.has(error.statusCode ?? 400) ? undefined : error.message
  }
  return readPayload(error)
}

const INVALID =
  /invalid[_ ]?(?:request|prompt|argument|value|image|file)|context_length|unsupported/i

/** What a provider reports in its stream, before the AI SDK has made an error of it. */
function readPayload(error: unknown): string | undefined {
  if (typeof error !== 'object' || error === null || error instanceof Error) return undefined
  const words = JSON.stringify(error) ?? ''
  return INVALID.test(words) ? words : undefined
}

function numberIn(digits: string | undefined): number | undefined {
  const number = Number(digits?.replaceAll(/[,_]/g, '') || NaN)
  return number > 0 ? number : undefined
}
