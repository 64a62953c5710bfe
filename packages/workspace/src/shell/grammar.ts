import type { Argument } from './argument.ts'
import type { Findings, Program } from './findings.ts'
import { shown, type PathAccess } from './path-rule.ts'

/** What an option's value is; `any` is of no consequence. */
type ValueKind = 'any' | 'revision' | PathAccess

interface Option {
  /** None for an option without a value. */
  readonly value?: ValueKind
  /** The value is given by `=` only, and may be missing. */
  readonly isOptional?: boolean
}

/** What judges the arguments that are no options. */
export type Operands = (operands: readonly Argument[], findings: Findings, given: Given) => void

/** The options that a command has been given; `--` where operands stand behind it. */
export type Given = ReadonlySet<string>

/** What a program takes. What is not here is asked about. */
export interface Grammar {
  /**
   * Options that do no harm, apart from what their paths lead to: `-abc` are three without a value,
   * `-n=` has one, `-f=read` one that is a path, `--color?` one that may be missing.
   */
  readonly options: string
  readonly operands: Operands
  /** No option of the program does harm: a name that looks like one may be among what matches `*`. */
  readonly isPlain?: boolean
  /** `-5` is an option. */
  readonly hasNumbers?: boolean
}

/** Makes what judges the arguments of a program by what it takes. */
export function byGrammar(grammar: Grammar): Program {
  const options = readOptions(grammar.options)
  return (args, findings) => {
    const operands: Argument[] = []
    const given = new Set<string>()
    const rest = [...args]
    for (let arg = rest.shift(); arg; arg = rest.shift()) {
      const { value } = arg
      if (value === '--') {
        if (rest.length > 0) given.add('--')
        operands.push(...rest)
        break
      }
      if (value === undefined) {
        if (!grammar.isPlain && mayBeOption(arg)) unknownWord(arg, findings)
        operands.push(arg)
      } else if (!value.startsWith('-') || value === '-') operands.push(arg)
      else if (grammar.hasNumbers && /^-\d+$/.test(value)) continue
      else {
        const names = value.startsWith('--')
          ? readLong(value, options, rest, findings)
          : readShort(value, options, rest, findings)
        if (!names) return
        names.forEach((name) => given.add(name))
      }
    }
    grammar.operands(operands, findings, given)
  }
}

/** The names of the options in an argument; nothing, and a question, when one is not known. */
function readLong(
  text: string,
  options: ReadonlyMap<string, Option>,
  rest: Argument[],
  findings: Findings,
): string[] | undefined {
  const end = text.includes('=') ? text.indexOf('=') : text.length
  const name = text.slice(0, end)
  const option = options.get(name)
  const value = end < text.length ? text.slice(end + 1) : undefined
  if (!option || (option.value === undefined && value !== undefined)) {
    findings.unknown(`option ${shown(name)} is not known to be harmless`)
    return undefined
  }
  if (option.value === undefined || (option.isOptional && value === undefined)) return [name]
  return takeValue(option.value, value, rest, findings) ? [name] : undefined
}

function readShort(
  text: string,
  options: ReadonlyMap<string, Option>,
  rest: Argument[],
  findings: Findings,
): string[] | undefined {
  const names: string[] = []
  for (let at = 1; at < text.length; at++) {
    const name = `-${text.charAt(at)}`
    const option = options.get(name)
    if (!option) {
      findings.unknown(`option ${shown(name)} is not known to be harmless`)
      return undefined
    }
    names.push(name)
    if (option.value === undefined) continue
    const joined = text.slice(at + 1)
    if (option.isOptional && joined === '') return names
    return takeValue(option.value, joined || undefined, rest, findings) ? names : undefined
  }
  return names
}

function takeValue(
  kind: ValueKind,
  joined: string | undefined,
  rest: Argument[],
  findings: Findings,
): boolean {
  const value =
    joined === undefined
      ? rest.shift()
      : { text: joined, value: joined, start: joined, isOne: true }
  if (!value) {
    findings.unknown('an option lacks its value')
    return false
  }
  if (kind === 'any') {
    if (!value.isOne) unknownWord(value, findings)
  } else if (kind === 'revision') findings.revision(value)
  else findings.path(value, kind)
  return true
}

/** Whether a word that is not known yet may turn out to be an option, or several words. */
function mayBeOption({ pattern, start, isOne, oneOf, files }: Argument): boolean {
  if (oneOf) return oneOf.some(({ value, ...one }) => value?.startsWith('-') ?? mayBeOption(one))
  if (files) return !/^[^-]/.test(start)
  return pattern === undefined
    ? !isOne || start === '' || start.startsWith('-')
    : !/^[^-]/.test(start)
}

function unknownWord({ text }: Argument, findings: Findings): void {
  findings.unknown(`what ${shown(text)} stands for is not known before it runs`)
}

function readOptions(text: string): Map<string, Option> {
  const options = new Map<string, Option>()
  for (const word of text.split(/\s+/).filter(Boolean)) {
    const [, name = word, sign, kind] = /^(--?[\w#@.-]+)([=?])?(\w+)?$/.exec(word) ?? []
    const value = sign === undefined ? {} : { value: (kind ?? 'any') as ValueKind }
    const option: Option = sign === '?' ? { ...value, isOptional: true } : value
    if (name.startsWith('--')) options.set(name, option)
    else for (const letter of name.slice(1)) options.set(`-${letter}`, option)
  }
  return options
}

/** Operands of no consequence. */
export const anything: Operands = () => {}

/** No operand. */
export const nothing: Operands = ([first], findings) => {
  if (first) findings.unknown(`${shown(first.text)} is not expected here`)
}

/** Every operand is a path. */
export function paths(access: PathAccess, most = Infinity): Operands {
  return (operands, findings) => {
    // A pattern may stand for more of them.
    const isMore = most < Infinity && operands.some(({ isOne }) => !isOne)
    if (isMore || operands.length > most)
      findings.add('ask', 'the last of its files would be written', { needs: ['write'] })
    for (const operand of operands) findings.path(operand, access)
  }
}
