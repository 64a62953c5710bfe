import { parseArgs } from 'node:util'
import { CliError } from './cli-error.ts'
import type { Command, CommandOption, GivenOptions } from './command.ts'
import { parseTime } from './parse-time.ts'

/** Options that every command has. */
export const COMMON_OPTIONS: Readonly<Record<string, CommandOption>> = {
  database: { value: 'file', help: 'the database; default: $ASSENT_DATABASE, or ./assent.db' },
  stores: {
    value: 'module',
    help: 'stores of another backend: what this module exports as default; default: $ASSENT_STORES',
  },
  json: { help: 'print JSON' },
  help: { help: 'print this' },
}

/** Reads what follows the words of a command. Throws `usage`. */
export function readOptions(
  { name: command, options }: Pick<Command, 'name' | 'options'>,
  args: readonly string[],
  now: number,
): { readonly given: GivenOptions; readonly operands: readonly string[] } {
  const { values, positionals } = parse(command, { ...options, ...COMMON_OPTIONS }, args)
  const texts = (name: string): readonly string[] => {
    const value = values[name]
    if (value === undefined || typeof value === 'boolean') return []
    return typeof value === 'string' ? [value] : value.filter((one) => typeof one === 'string')
  }
  const text = (name: string): string | undefined => texts(name)[0]

  const given: GivenOptions = {
    has: (name) => values[name] !== undefined,
    text,
    texts,
    whole(name, least, most) {
      const value = text(name)
      if (value === undefined) return undefined
      const number = Number(value)
      if (/^\d+$/.test(value) && number >= least && number <= most) return number
      const wanted = `a whole number from ${least} to ${most}`
      throw new CliError('usage', `--${name} is ${JSON.stringify(value)}; give ${wanted}.`)
    },
    one(name, of) {
      const value = text(name)
      return value === undefined ? undefined : oneOf(name, value, of)
    },
    some: (name, of) =>
      texts(name).flatMap((value) => value.split(',').map((one) => oneOf(name, one, of))),
    time(name) {
      const value = text(name)
      return value === undefined ? undefined : parseTime(name, value, now)
    },
  }
  return { given, operands: positionals }
}

function parse(
  command: string,
  options: Readonly<Record<string, CommandOption>>,
  args: readonly string[],
) {
  const entries = Object.entries(options).map(([name, { value, isMultiple }]) => {
    const type = value === undefined ? ('boolean' as const) : ('string' as const)
    return [name, { type, multiple: isMultiple === true }] as const
  })
  try {
    return parseArgs({
      args: [...args],
      options: Object.fromEntries(entries),
      allowPositionals: true,
    })
  } catch (cause) {
    const what = cause instanceof Error ? cause.message : String(cause)
    const help = `See assent-worker ${command} --help.`
    throw new CliError('usage', `${what.replace(/\.?$/, '.')} ${help}`, { cause })
  }
}

function oneOf<VALUE extends string>(name: string, value: string, of: readonly VALUE[]): VALUE {
  const found = of.find((one) => one === value)
  if (found !== undefined) return found
  throw new CliError(
    'usage',
    `--${name} is ${JSON.stringify(value)}; give one of ${of.join(', ')}.`,
  )
}
