import { EXIT, type Command, type CommandOption } from './command.ts'
import { COMMON_OPTIONS } from './read-options.ts'

/** How the program is called, for all its commands. */
export function programHelp(commands: readonly Command[]): string {
  const rows = commands.map(({ name, summary }) => [name, summary] as const)
  return [
    'assent-worker: what conversations, tools and workers have done, and what waits',
    '',
    ...columns(rows),
    '',
    'Every command takes:',
    ...columns(optionRows(COMMON_OPTIONS)),
    '',
    `Exit codes: ${EXIT.done} done, ${EXIT.no} the answer is no, ${EXIT.usage} called wrongly, ` +
      `${EXIT.failed} failed.`,
  ].join('\n')
}

/** How one command is called. */
export function commandHelp({ name, summary, operands, options }: Command): string {
  return [
    `assent-worker ${name} [options]${operands === undefined ? '' : ` ${operands}`}`,
    '',
    `${summary}.`,
    '',
    ...columns(optionRows({ ...options, ...COMMON_OPTIONS })),
  ].join('\n')
}

function optionRows(
  options: Readonly<Record<string, CommandOption>>,
): (readonly [string, string])[] {
  return Object.entries(options).map(([name, { value, help, isMultiple }]) => {
    const suffix = value === undefined ? '' : ` <${value}>${isMultiple === true ? '…' : ''}`
    return [`--${name}${suffix}`, help]
  })
}

function columns(rows: readonly (readonly [string, string])[]): string[] {
  const width = Math.max(...rows.map(([first]) => first.length))
  return rows.map(([first, second]) => `  ${first.padEnd(width)}  ${second}`)
}
