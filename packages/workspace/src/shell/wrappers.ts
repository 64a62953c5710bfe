import { HERE, UNKNOWN, type Argument } from './argument.ts'
import type { Findings, Program } from './findings.ts'
import { shown } from './path-rule.ts'
import { isHarmlessVariable } from './variables.ts'

/** The options of a program that runs another one, all of them before it. */
interface Wrapper {
  /** Options without a value. */
  readonly flags?: readonly string[]
  /** Options with a value. */
  readonly valued?: readonly string[]
  /** How many words stand before the command. */
  readonly operands?: number
}

/** A program that runs the command behind its own options. */
function wraps({ flags = [], valued = [], operands = 0 }: Wrapper): Program {
  return (args, findings) => {
    const rest = withoutOptions(args, { flags, valued }, findings)
    if (!rest) return
    const unknown = rest.slice(0, operands).find(({ value }) => value === undefined)
    if (unknown)
      findings.unknown(`what ${shown(unknown.text)} stands for is not known before it runs`)
    findings.command(rest.slice(operands))
  }
}

/** What is left behind the options; nothing, and a question, when one is not known. */
function withoutOptions(
  args: readonly Argument[],
  { flags = [], valued = [] }: Wrapper,
  findings: Findings,
): Argument[] | undefined {
  const rest = [...args]
  for (let word = rest[0]; word; word = rest[0]) {
    const { value } = word
    if (value === undefined && /^[^-]/.test(word.start)) return rest
    if (value !== undefined && (!value.startsWith('-') || value === '-')) return rest
    rest.shift()
    if (value === '--') return rest
    if (value !== undefined && flags.includes(value)) continue
    const option = value === undefined ? undefined : valued.find((name) => value.startsWith(name))
    if (value === undefined || option === undefined) {
      findings.unknown(`option ${shown(word.text)} is not known to be harmless`)
      // What it runs may be Git.
      findings.path(HERE, 'history')
      return undefined
    }
    const isWhole = value === option
    if (option.startsWith('--') && !isWhole && value.charAt(option.length) !== '=') {
      findings.unknown(`option ${shown(word.text)} is not known to be harmless`)
      findings.path(HERE, 'history')
      return undefined
    }
    if (isWhole && !rest.shift()?.isOne) findings.unknown('an option lacks its value')
  }
  return rest
}

const env: Program = (args, findings) => {
  const rest = withoutOptions(
    args,
    { flags: ['-i', '-0', '--ignore-environment', '--null', '-'], valued: ['-u', '--unset'] },
    findings,
  )
  if (!rest) return
  if (rest.length < args.length) {
    // Some of them keep programs quiet.
    findings.unknown('it runs without the variables of the workspace')
  }
  while (rest[0] && /^[^=/-]+=/.test(rest[0].start)) {
    const name = rest[0].start.slice(0, rest[0].start.indexOf('='))
    if (!isHarmlessVariable(name)) {
      findings.unknown(`the variable ${shown(name)} may change what the command does`)
    }
    rest.shift()
  }
  if (rest.length === 0) findings.add('ask', 'shows the environment', { risk: 'read' })
  else findings.command(rest)
}

const command: Program = (args, findings) => {
  if (/^-[vV]$/.test(args[0]?.value ?? '')) return
  wraps({})(args, findings)
}

const xargs: Program = (args, findings) => {
  const rest = withoutOptions(
    args,
    {
      flags: ['-0', '-r', '-t', '-x', '--null', '--no-run-if-empty', '--verbose', '--exit'],
      valued: [
        '-n',
        '-L',
        '-P',
        '-d',
        '-s',
        '-I',
        '-E',
        '--max-args',
        '--max-procs',
        '--delimiter',
      ],
    },
    findings,
  )
  if (!rest) return
  const words =
    rest.length === 0 ? [{ text: 'echo', value: 'echo', start: 'echo', isOne: true }] : rest
  // With -I any of its words may become something else.
  const at = args.findIndex(({ value }) => value?.startsWith('-I'))
  const sign = at === -1 ? undefined : args[at]?.value?.slice(2) || args[at + 1]?.value || ''
  const [name = UNKNOWN, ...others] = words
  const isWhole = args.some(({ value }) => value === '-0' || value === '--null')
  const { isSplit: _, ...names } = findings.input ?? UNKNOWN
  const read = isWhole ? names : (findings.input ?? UNKNOWN)
  if (sign === undefined) return findings.command([name, ...others, read])
  const given = others.map((word) => {
    if (word.value === sign && sign !== '') return { ...read, isOne: true }
    return sign !== '' && word.value?.includes(sign) === false ? word : UNKNOWN
  })
  findings.command([name, ...given])
}

const shell: Program = (args, findings) => {
  const rest = [...args]
  let isScript = false
  for (let word = rest[0]; word?.value?.startsWith('-'); word = rest[0]) {
    if (!/^-[ceu]+$/.test(word.value)) break
    isScript ||= word.value.includes('c')
    rest.shift()
  }
  const [script, ...more] = rest
  if (!isScript || script?.value === undefined || script.value.startsWith('-') || more.length > 0) {
    findings.unknown('runs a script that is not known')
    // What it runs may be Git; a file of the workspace may be anything.
    if (isScript || !script || script.start.startsWith('-')) findings.path(HERE, 'history')
  } else findings.script(script.value)
}

const busybox: Program = (args, findings) => {
  if (args.length === 0 || args[0]?.start.startsWith('-'))
    findings.add('ask', 'may install programs')
  else findings.command(args)
}

const raised: Program = (args, findings) => {
  findings.add('ask', 'runs with the rights of another user')
  wraps({ flags: ['-n', '-E', '-H', '-S', '-k'], valued: ['-u', '-g'] })(args, findings)
}

/** Programs and commands of the shell that run another command. */
export const WRAPPERS: Readonly<Record<string, Program>> = {
  env,
  command,
  builtin: wraps({}),
  exec: wraps({ flags: ['-l'] }),
  nohup: wraps({}),
  nice: wraps({ valued: ['-n', '--adjustment'] }),
  ionice: wraps({ flags: ['-t'], valued: ['-c', '-n'] }),
  time: wraps({ flags: ['-p'] }),
  timeout: wraps({
    flags: ['--preserve-status', '--foreground', '-v', '--verbose', '-f', '-p'],
    valued: ['-k', '-s', '--kill-after', '--signal'],
    operands: 1,
  }),
  stdbuf: wraps({ valued: ['-i', '-o', '-e', '--input', '--output', '--error'] }),
  setsid: wraps({ flags: ['-w', '--wait'] }),
  xargs,
  sh: shell,
  bash: shell,
  dash: shell,
  ash: shell,
  busybox,
  toybox: busybox,
  sudo: raised,
  doas: raised,
}
