import type { InputIssue } from '@assent/engine'
import type { FormWords } from '../../locale/ask-words.ts'
import type { FieldSpec } from './field-spec.ts'
import { canShow, isFields, type FieldPath } from './field-values.ts'

/** What the form can tell of formats by itself; the tool's schema has the last word on all. */
const FORMATS: ReadonlyMap<string, RegExp> = new Map([
  ['email', /^[^\s@]+@[^\s@]+\.[^\s@]+$/],
  ['uri', /^[a-z][a-z\d+.-]*:\S+$/i],
  ['url', /^[a-z][a-z\d+.-]*:\S+$/i],
  ['date', /^\d{4}-\d\d-\d\d$/],
  ['time', /^\d\d:\d\d/],
  ['date-time', /^\d{4}-\d\d-\d\d[T ]\d\d:\d\d/i],
  ['uuid', /^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/i],
  ['ipv4', /^\d{1,3}(\.\d{1,3}){3}$/],
])

/** What is wrong with a value before its tool is asked, field by field. */
export function checkFields(
  spec: FieldSpec,
  value: unknown,
  words: FormWords,
  path: FieldPath = [],
): InputIssue[] {
  if (value === null && spec.isNullable) return []
  if (!canShow(spec, value)) return []
  const message = messageFor(spec, value, words)
  const own = message === undefined ? [] : [{ message, path }]
  if (spec.kind === 'list' && Array.isArray(value)) {
    const items = value.flatMap((item: unknown, place) =>
      checkFields(spec.item, item, words, [...path, place]),
    )
    return [...own, ...items]
  }
  if (spec.kind !== 'group' || !isFields(value)) return own
  return spec.fields.flatMap((field) => {
    const at = [...path, field.name]
    if (Object.hasOwn(value, field.name))
      return checkFields(field.spec, value[field.name], words, at)
    return field.isRequired ? [{ message: words.missing, path: at }] : []
  })
}

function messageFor(spec: FieldSpec, value: unknown, words: FormWords): string | undefined {
  switch (spec.kind) {
    case 'text':
      return typeof value === 'string' ? wrongText(spec, value, words) : undefined
    case 'number':
      return wrongNumber(spec, value, words)
    case 'choice':
      return spec.options.includes(value) ? undefined : words.choose
    case 'list': {
      const { length } = Array.isArray(value) ? value : []
      if (spec.min !== undefined && length < spec.min) return words.tooFew(spec.min)
      return spec.max !== undefined && length > spec.max ? words.tooMany(spec.max) : undefined
    }
    case 'boolean':
    case 'group':
    case 'json':
      return undefined
  }
}

function wrongText(
  { min = 0, max = Infinity, format, pattern }: Extract<FieldSpec, { kind: 'text' }>,
  value: string,
  words: FormWords,
): string | undefined {
  if (value.length < min) return value === '' ? words.missing : words.tooShort(min)
  if (value.length > max) return words.tooLong(max)
  if (format !== undefined && FORMATS.get(format)?.test(value) === false) {
    return words.badFormat(format)
  }
  return pattern !== undefined && !fitsPattern(pattern, value) ? words.badPattern : undefined
}

/** A pattern that cannot be read here is left to the tool. */
function fitsPattern(pattern: string, value: string): boolean {
  try {
    return new RegExp(pattern, 'u').test(value)
  } catch {
    return true
  }
}

function wrongNumber(
  spec: Extract<FieldSpec, { kind: 'number' }>,
  value: unknown,
  words: FormWords,
): string | undefined {
  if (typeof value !== 'number') return value === '' ? words.missing : words.notNumber
  const { isWhole, min = -Infinity, max = Infinity, above = -Infinity, below = Infinity } = spec
  if (isWhole && !Number.isInteger(value)) return words.notWhole
  if (value < min) return words.atLeast(min)
  if (value > max) return words.atMost(max)
  if (value <= above) return words.above(above)
  if (value >= below) return words.below(below)
  const { step } = spec
  const isMultiple = step === undefined || Math.abs(value / step - Math.round(value / step)) < 1e-9
  return isMultiple ? undefined : words.notMultiple(step ?? 1)
}
