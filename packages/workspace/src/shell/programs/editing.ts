import type { Program } from '../findings.ts'
import { byGrammar, paths } from '../grammar.ts'
import { shown } from '../path-rule.ts'

const ADDRESS = String.raw`(?:\d+|\$|\d+~\d+|/(?:[^/\\\n]|\\[^\n])+/I?)`
const PRINT = String.raw`(?:${ADDRESS}(?:,(?:${ADDRESS}|[+~]\d+))?)?\s*!?\s*[pdq=]`
const REPLACE = [String.raw`\/`, '|', '#', ',']
  .map((mark) => {
    const sign = mark === '|' ? String.raw`\|` : mark
    const text = String.raw`(?:[^${mark}\\\n]|\\[^\n])*`
    return `s${sign}${text}${sign}${text}${sign}[gIip\\d]*`
  })
  .join('|')
const COMMAND = String.raw`\s*(?:${PRINT}|(?:${ADDRESS}(?:,(?:${ADDRESS}|[+~]\d+))?)?\s*(?:${REPLACE}))\s*`
/** Scripts of sed that only print: no `w`, `r`, `e`, no flag that writes or runs. */
const SED_SCRIPT = new RegExp(`^${COMMAND}(?:;${COMMAND})*;?$`)
const LONGEST_SCRIPT = 300

function isHarmlessScript(script: string | undefined): boolean {
  return script !== undefined && script.length <= LONGEST_SCRIPT && SED_SCRIPT.test(script)
}

const sed = byGrammar({
  options: '-nErsuz --quiet --silent --regexp-extended --null-data --separate --unbuffered',
  operands: ([script, ...files], findings) => {
    if (!isHarmlessScript(script?.value)) {
      findings.add(
        'ask',
        `the script of sed may write files or run commands: ${shown(script?.text ?? '')}`,
      )
    }
    for (const file of files) findings.path(file, 'read')
  },
})

/** Only a list of what is in an archive. */
const tar: Program = (args, findings) => {
  const [first, ...rest] = args
  // The old way, without a dash.
  const dashed =
    first?.value !== undefined && /^[a-zA-Z]+$/.test(first.value)
      ? [{ ...first, value: `-${first.value}`, start: '-' }, ...rest]
      : args
  list(dashed, findings)
}

const list = byGrammar({
  options:
    '-tvzjJ -f=read -C=list --list --verbose --gzip --bzip2 --xz --file=read --directory=list --exclude= --wildcards',
  operands: (_names, findings, given) => {
    if (!given.has('-t') && !given.has('--list')) {
      findings.add('ask', 'tar packs or unpacks files')
    }
  },
})

const unzip = byGrammar({
  options: '-lvZ1',
  operands: (operands, findings, given) => {
    if (!['-l', '-v', '-Z'].some((name) => given.has(name))) {
      findings.add('ask', 'unzip writes files')
    }
    paths('read')(operands.slice(0, 1), findings, given)
  },
})

/** Programs that can change files, and do not with what is known of them here. */
export const EDITING: Readonly<Record<string, Program>> = {
  sed,
  tar,
  unzip,
  zipinfo: byGrammar({
    options: '-1lsmvhtz',
    operands: ([file], findings) => {
      if (file) findings.path(file, 'read')
    },
  }),
}
