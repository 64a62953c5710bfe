import type { Argument } from '../argument.ts'
import type { Findings, Program } from '../findings.ts'
import { byGrammar } from '../grammar.ts'
import { shown } from '../path-rule.ts'

const ADDRESS = String.raw`(?:\d+|\$|\d+~\d+|/(?:[^/\\\n]|\\[^\n])+/I?)`
const ADDRESSES = String.raw`(?:${ADDRESS}(?:,(?:${ADDRESS}|[+~]\d+))?[ \t]*)?(?:![ \t]*)?`
const REPLACE = [String.raw`\/`, '|', '#', ',', '@', ':']
  .map((mark) => {
    const sign = mark === '|' ? String.raw`\|` : mark
    const text = String.raw`(?:[^${mark}\\\n]|\\[^\n])*`
    // Among its flags are one that writes and one that runs.
    return `s${sign}${text}${sign}${text}${sign}[gIipmM\\d]*|y${sign}${text}${sign}${text}${sign}`
  })
  .join('|')
/** Commands that print, delete, replace and keep; none with a file or a label. */
const COMMAND = new RegExp(`${ADDRESSES}(?:[pdqQ=lnNDPhHgGx{]|${REPLACE})`, 'y')
const BETWEEN = /[ \t\n;}]*/y
const LONGEST_SCRIPT = 500

/** Whether a script of sed only prints: no `w`, `r`, `e`, and no flag that writes or runs. */
export function isHarmlessSed(script: string): boolean {
  if (script.length > LONGEST_SCRIPT) return false
  let isFree = true
  for (let at = 0; ;) {
    BETWEEN.lastIndex = at
    const between = BETWEEN.exec(script)?.[0] ?? ''
    at += between.length
    if (at === script.length) return true
    if (!isFree && !/[;\n}]/.test(between)) return false
    COMMAND.lastIndex = at
    const command = COMMAND.exec(script)?.[0]
    if (command === undefined) return false
    at += command.length
    // Behind a bracket the next command needs no sign.
    isFree = command.endsWith('{')
  }
}

/** Scripts of sed that only print. */
export const sed: Program = (args, findings) => {
  const { scripts, rest } = takeScripts(args)
  byGrammar({
    options: '-nErsuz --quiet --silent --regexp-extended --null-data --separate --unbuffered',
    operands: ([first, ...others], inner) => {
      const [all, files] =
        scripts.length > 0 ? [scripts, first ? [first, ...others] : others] : [[first], others]
      for (const script of all) judgeScript(script, inner)
      for (const file of files) inner.path(file, 'read')
    },
  })(rest, findings)
}

function judgeScript(script: Argument | undefined, findings: Findings): void {
  if (script?.value !== undefined && isHarmlessSed(script.value)) return
  findings.unknown(
    `the script of sed may write files or run commands: ${shown(script?.text ?? '')}`,
  )
}

/** The scripts behind `-e`, and the arguments without them. */
function takeScripts(args: readonly Argument[]) {
  const scripts: (Argument | undefined)[] = []
  const rest: Argument[] = []
  const left = [...args]
  for (let arg = left.shift(); arg; arg = left.shift()) {
    const { value } = arg
    if (value === '--') {
      rest.push(arg, ...left)
      break
    }
    const [, flags, joined] = /^-([nErsuz]*)e(.*)$/s.exec(value ?? '') ?? []
    const [, long] = /^--expression(?:=(.*))?$/s.exec(value ?? '') ?? []
    if (flags === undefined && !value?.startsWith('--expression')) {
      rest.push(arg)
      continue
    }
    const script = joined || long
    scripts.push(script ? { ...arg, value: script, start: script } : left.shift())
    if (flags) rest.push({ ...arg, value: `-${flags}`, start: `-${flags}` })
  }
  return { scripts, rest }
}
