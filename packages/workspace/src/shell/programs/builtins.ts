import { HERE } from '../argument.ts'
import { shown } from '../path-rule.ts'
import { isHarmlessVariable, isOwnVariable } from '../variables.ts'
import { anything, byGrammar, nothing } from '../grammar.ts'
import type { Program } from '../findings.ts'
import { unknown } from '../findings.ts'

/** What it runs may be Git, which shows any file that it keeps. */
function runsText(reason: string): Program {
  return (_args, findings) => {
    findings.unknown(reason)
    findings.path(HERE, 'history')
  }
}

const UNARY = /^-[abcdefghknprsuwxzGLNOSt]$/
const BINARY = /^(?:=|==|!=|<|>|-(?:eq|ne|lt|le|gt|ge|nt|ot|ef))$/

/**
 * `[` and `test`: they look at files and compare texts. Only in the forms that every shell reads
 * alike: an unknown word could be `-v`, which runs what stands in the brackets of its operand.
 */
const test: Program = (args, findings) => {
  const words = args.map(({ value }) => value)
  let at = 0
  for (;;) {
    while (words[at] === '!') at++
    if (isWord(BINARY, words[at + 1])) at += 3
    else if (isWord(UNARY, words[at]) && at + 1 < words.length) {
      const file = args[at + 1]
      if (!/^-[nzt]$/.test(words[at] ?? '') && file?.value !== undefined)
        findings.path(file, 'list')
      at += 2
    } else at += 1
    if (at >= words.length || !isWord(/^-[ao]$/, words[at])) break
    at++
  }
  const isRead = at === words.length || words.length === 0
  if (!isRead || args.some(({ isOne }) => !isOne))
    findings.unknown('the test is not of a form that is known')
}

function isWord(words: RegExp, word: string | undefined): boolean {
  return word !== undefined && words.test(word)
}

const setOptions: Program = (args, findings) => {
  const words = args.map(({ value }) => value ?? '')
  const isHarmless = words.every((word, index) =>
    words[index - 1]?.endsWith('o') && words[index - 1]?.startsWith('-')
      ? /^(?:pipefail|errexit|nounset)$/.test(word)
      : /^-[eu]*o?$/.test(word) && word !== '-',
  )
  if (!isHarmless || words.length === 0) findings.unknown('changes how the shell works')
}

const count: Program = (args, findings) => {
  const isCount = args.every(({ value }) => /^\d{1,3}$/.test(value ?? ''))
  if (!isCount || args.length > 1) findings.unknown('takes a number')
}

const variables = unknown('changes variables, which may change what programs do')

/** Commands of the shell itself. */
export const BUILTINS: Readonly<Record<string, Program>> = {
  '[': (args, findings) => {
    if (args.at(-1)?.value === ']') test(args.slice(0, -1), findings)
    else findings.unknown('the bracket is not closed')
  },
  test,
  set: setOptions,
  exit: count,
  return: count,
  break: count,
  continue: count,
  shift: count,
  wait: (args, findings) => {
    if (args.length > 0) findings.unknown('waits for a process that is not known')
  },
  cd: (args, findings) => {
    const [folder, ...more] = args[0]?.value === '--' ? args.slice(1) : args
    if (folder === undefined || more.length > 0)
      findings.add('ask', 'goes to a folder that is not known')
    else findings.enter(folder)
  },
  pushd: (args, findings) => {
    const [folder, ...more] = args
    if (!folder || more.length > 0) findings.unknown('goes to a folder that is not known')
    else findings.enter(folder)
  },
  popd: byGrammar({ options: '', operands: nothing }),
  export: (args, findings) => {
    const isHarmless = args.every(({ text }) => isHarmlessVariable(/^(\w+)=/.exec(text)?.[1] ?? ''))
    if (!isHarmless || args.length === 0) variables(args, findings)
  },
  declare: variables,
  typeset: variables,
  local: variables,
  readonly: variables,
  unset: variables,
  read: byGrammar({
    options: '-rs -d= -n= -N= -t= -p=',
    operands: (names, findings) => {
      const other = names.find(({ value }) => !isOwnVariable(value ?? ''))
      if (other) findings.unknown(`changes the variable ${shown(other.text)}`)
    },
  }),
  mapfile: variables,
  readarray: variables,
  getopts: variables,
  let: variables,
  alias: runsText('gives a command another name'),
  eval: runsText('runs a text as commands'),
  source: unknown('runs the commands in a file'),
  '.': unknown('runs the commands in a file'),
  trap: runsText('runs commands later'),
  // With -x it runs a command.
  jobs: byGrammar({ options: '-lnprs', operands: anything }),
}

/** Names that bash resolves itself before it looks for a program. */
export const SHELL_NAMES: ReadonlySet<string> = new Set([
  ...Object.keys(BUILTINS),
  ...'pushd popd dirs shopt hash enable builtin command exec bind complete compgen compopt caller'.split(
    ' ',
  ),
  ...'disown bg fg suspend ulimit umask times logout help history fc printf echo pwd type true'.split(
    ' ',
  ),
  ...'false : kill time if then else elif fi for while until do done case esac select function'.split(
    ' ',
  ),
  ...'coproc in { } ! [['.split(' '),
])
