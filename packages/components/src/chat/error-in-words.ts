import type { EngineError, EngineErrorCode } from '@assent/engine'
import { errorWords } from '../locale/en-errors.ts'
import type { ErrorWords } from '../locale/error-words.ts'
import type { AssentLocale } from '../locale/locale.ts'

type Subject = keyof ErrorWords

/** What an error is about for people, by its code. Others are told of by their message, or by no more than that. */
const SUBJECTS: Partial<Record<EngineErrorCode, Subject>> = {
  busy: 'busy',
  call_changed: 'changed',
  not_awaiting_approval: 'late',
  not_awaiting_output: 'late',
  not_running: 'late',
  batch_refused: 'batch',
  scope_refused: 'scope',
  unknown_tool: 'unknownTool',
  http_network: 'network',
  response_timeout: 'slow',
  stream_timeout: 'slow',
  http_body: 'unreadable',
  stream_malformed: 'unreadable',
  stream_without_finish: 'unreadable',
  stream_invalid: 'unreadable',
  stream_cut: 'cut',
  stream_aborted: 'interrupted',
  stream_interrupted: 'interrupted',
  not_editable: 'notEditable',
  executed_elsewhere: 'notEditable',
  interrupted: 'interrupted',
  decision_unanswered: 'unconfirmed',
  storage_failed: 'storage',
  storage_malformed: 'storage',
  fenced: 'elsewhere',
  taken_over: 'elsewhere',
  holder_lost: 'elsewhere',
  may_not_decide: 'notAllowed',
  tool_timeout: 'timeout',
}

/** What a server of ours says of a model that failed, in English and in more words. */
const KINDS = new Map<unknown, Subject>([
  ['context', 'tooLarge'],
  ['timeout', 'slow'],
  ['server', 'server'],
  ['unreachable', 'model'],
  ['status', 'model'],
  ['provider', 'model'],
  ['empty', 'model'],
  ['cut', 'model'],
])

/** Codes with words of an app, a tool or its schema, which are for people. */
const TOLD: ReadonlySet<EngineErrorCode> = new Set([
  'command_failed',
  'stream_error',
  'invalid_input',
  'tool_failed',
])

export function errorInWords(
  error: EngineError,
  locale: AssentLocale,
  otherwise: Subject = 'other',
): string {
  const subject = subjectOf(error, locale)
  if (subject === undefined && isTold(error)) return error.message
  return errorWords(locale)[subject ?? otherwise]
}

/** What went wrong as the engine says it, for developers. */
export function errorDetails(
  error: EngineError,
  locale: AssentLocale,
): { label: string; text: string } | undefined {
  if (isTold(error) && subjectOf(error, locale) === undefined) return undefined
  return { label: errorWords(locale).details, text: `${error.code} · ${error.message}` }
}

/** Which files the model cannot be given is said by the server, by their names. */
function isTold({ code, details }: EngineError): boolean {
  return TOLD.has(code) || details?.['kind'] === 'files'
}

function subjectOf({ code, details }: EngineError, locale: AssentLocale): Subject | undefined {
  if (details?.['kind'] === 'files') return undefined
  if (code === 'http_network' && !navigator.onLine) return 'offline'
  const status = details?.['status']
  if (code === 'http_status' && typeof status === 'number') return ofStatus(status)
  return SUBJECTS[code] ?? (isEnglish(locale) ? undefined : KINDS.get(details?.['kind']))
}

function ofStatus(status: number): Subject {
  if (status === 401) return 'signIn'
  if (status === 403) return 'notAllowed'
  if (status === 413) return 'tooLarge'
  if (status === 429 || status === 503) return 'overloaded'
  return status >= 500 ? 'server' : 'other'
}

function isEnglish({ code }: AssentLocale): boolean {
  return /^en\b/i.test(code)
}
