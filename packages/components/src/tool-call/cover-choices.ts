import type { ApprovalScope, FieldPatterns, ToolRisk } from '@assent/engine'

/** One way to say which further calls a standing permission covers. */
export type CoverChoice =
  | { readonly kind: 'tool'; readonly covers: 'tool' }
  | {
      readonly kind: 'input'
      readonly covers: 'input'
      /** The command that the input is, as it begins. */
      readonly value?: string
    }
  | {
      readonly kind: 'folder' | 'value'
      readonly covers: FieldPatterns
      /** The name of the field. */
      readonly field: string
      /** The folder, without a slash at its end, or the value. */
      readonly value: string
    }

/** How long a standing permission holds. */
export type Span = 'minutes' | 'hours' | 'today' | 'no-end'

export const SPANS: readonly Span[] = ['minutes', 'hours', 'today', 'no-end']
export const SPAN_MINUTES = 15
export const SPAN_HOURS = 8
/** For how many further calls; none for any number. */
export const USES: readonly (number | undefined)[] = [undefined, 1, 5, 20]

const MOST_FIELDS = 3
const VALUE_LENGTH = 40
const COMMAND_LENGTH = 60
/** Fields that tell calls apart best, in this order; the others follow as the input has them. */
const TELLING = ['path', 'file', 'filename', 'folder', 'to', 'url', 'host', 'command', 'name']
/** Names of fields that hold a path even when it has a space in it. */
const PATH_NAME = /path|file|dir|folder/i
const MEDIA_TYPE = /^(application|audio|font|image|message|model|multipart|text|video)\/[\w.+-]+$/
const ORIGIN = /^[a-z][a-z\d+.-]*:\/\/[^/]+/i
/** What a pattern cannot say, or must not: wildcards, ways up, control and shell characters. */
const UNFIT = /[*?\p{Cc}\p{Cf};|&$<>`"'\\]|(^|\/)\.\.?(\/|$)/u

/**
 * What can be offered for a call, the narrow first: calls whose fields are like this one's, this very
 * call, every call of the tool. A call that cannot be undone, or whose tool wants so, is covered by its
 * exact input only.
 */
export function coverChoices(input: unknown, risk: ToolRisk, isExactOnly = false): CoverChoice[] {
  const value = commandOf(input)
  const exactly: CoverChoice = { kind: 'input', covers: 'input', ...(value && { value }) }
  if (isExactOnly || risk === 'destroy') return [exactly]
  // Nothing is opened wide by a slip.
  return [...fieldChoices(input), exactly, { kind: 'tool', covers: 'tool' }]
}

function commandOf(input: unknown): string | undefined {
  if (typeof input !== 'object' || input === null || !('command' in input)) return undefined
  const { command } = input
  if (typeof command !== 'string') return undefined
  return command.length > COMMAND_LENGTH ? `${command.slice(0, COMMAND_LENGTH)}…` : command
}

/** The scope for what was chosen. @param now milliseconds since the epoch */
export function scopeOf(
  choice: CoverChoice,
  where: NonNullable<ApprovalScope['where']>,
  span: Span,
  uses: number | undefined,
  now: number,
): ApprovalScope {
  const until = untilOf(span, now)
  return {
    covers: choice.covers,
    where,
    ...(until !== undefined && { until }),
    ...(uses !== undefined && { uses }),
  }
}

function untilOf(span: Span, now: number): number | undefined {
  switch (span) {
    case 'no-end':
      return undefined
    case 'minutes':
      return now + SPAN_MINUTES * 60_000
    case 'hours':
      return now + SPAN_HOURS * 3_600_000
    case 'today':
      return new Date(now).setHours(24, 0, 0, 0)
  }
}

function fieldChoices(input: unknown): CoverChoice[] {
  if (typeof input !== 'object' || input === null || Array.isArray(input)) return []
  const choices = Object.entries(input)
    .toSorted(([a], [b]) => rank(a) - rank(b))
    .flatMap(([field, value]) => folderChoice(field, value) ?? valueChoice(field, value) ?? [])
  const byKind = (kind: string): CoverChoice[] => choices.filter((choice) => choice.kind === kind)
  return [...byKind('folder'), ...byKind('value')].slice(0, MOST_FIELDS)
}

function rank(field: string): number {
  const place = TELLING.indexOf(field.toLowerCase())
  return place === -1 ? TELLING.length : place
}

function folderChoice(field: string, value: unknown): CoverChoice | undefined {
  if (typeof value !== 'string' || MEDIA_TYPE.test(value) || UNFIT.test(value)) return undefined
  if (/\s/.test(value) && !PATH_NAME.test(field)) return undefined
  const [origin] = ORIGIN.exec(value) ?? []
  // A folder of an address is never more than its host.
  const folder =
    origin && !value.slice(origin.length + 1).includes('/')
      ? origin
      : value.slice(0, value.lastIndexOf('/'))
  if (folder === '' || !value.includes('/') || value === folder) return undefined
  const covers = patternOf(field, { prefix: `${folder}/` })
  return { kind: 'folder', covers, field, value: folder }
}

function valueChoice(field: string, value: unknown): CoverChoice | undefined {
  const isNumber = typeof value === 'number'
  const isToken = typeof value === 'string' && value !== '' && !/\s/.test(value)
  if (!(isNumber || isToken) || String(value).length > VALUE_LENGTH) return undefined
  const covers = patternOf(field, { oneOf: [value] })
  return { kind: 'value', covers, field, value: String(value) }
}

/** By JSON Pointer (RFC 6901). */
function patternOf(field: string, pattern: FieldPatterns[string]): FieldPatterns {
  return { [`/${field.replaceAll('~', '~0').replaceAll('/', '~1')}`]: pattern }
}
