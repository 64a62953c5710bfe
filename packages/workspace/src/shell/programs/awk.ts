import type { Program } from '../findings.ts'
import { byGrammar } from '../grammar.ts'
import { shown } from '../path-rule.ts'

const LONGEST_PROGRAM = 2_000
/** What a program may call. */
const FUNCTIONS: ReadonlySet<string> = new Set(
  'length substr index split sub gsub gensub match sprintf tolower toupper int sqrt exp log sin cos atan2 rand srand strftime systime mktime strtonum asort asorti'.split(
    ' ',
  ),
)
/** Words behind which a slash begins an expression. */
const STATEMENTS: ReadonlySet<string> = new Set(
  'BEGIN END if else for while do print printf return in next exit delete break continue'.split(
    ' ',
  ),
)
/** What runs programs, reads other files or the environment, or loads code. */
const FORBIDDEN: ReadonlySet<string> = new Set(
  'system getline close fflush ENVIRON PROCINFO ARGV ARGC ARGIND SYMTAB FUNCTAB function func nextfile switch'.split(
    ' ',
  ),
)
const TOKEN =
  /[ \t]+|\\\n|#[^\n]*|"(?:[^"\\\n]|\\[^\n])*"|\d+(?:\.\d*)?(?:[eE][+-]?\d+)?|\.\d+|[A-Za-z_]\w*|&&|\|\||\+\+|--|[-+*/%^]=|==|!=|<=|>=|!~|[-+*/%^$!~<>=?:,;(){}[\]\n]/y
const EXPRESSION = /\/(?:[^/\\\n[]|\\[^\n]|\[(?:[^/\]\\\n]|\\[^\n])+\])+\//y

/**
 * Whether a program of awk only computes and prints: no other program, no other file, nothing that is
 * not known. Read token by token; where a slash could begin an expression or divide, it is not taken.
 */
export function isHarmlessAwk(program: string): boolean {
  if (program.length > LONGEST_PROGRAM) return false
  let last = ''
  // What a closing bracket belongs to: behind that of `if (…)` a slash may be either.
  const open: string[] = []
  let closed = ''
  let isPrinting = false
  for (let at = 0; at < program.length;) {
    const isSlash = program.charAt(at) === '/'
    const divides = /^(?:\w.*|\)|\]|".*|\$)$/s.test(last) && !STATEMENTS.has(last)
    if (isSlash && (last === '++' || last === '--' || (last === ')' && closed !== ''))) return false
    const pattern = isSlash && !divides ? EXPRESSION : TOKEN
    pattern.lastIndex = at
    const token = pattern.exec(program)?.[0]
    if (token === undefined) return false
    at += token.length
    if (/^(?:[ \t]|\\\n|#)/.test(token)) continue
    if (FORBIDDEN.has(token)) return false
    if (token === 'print' || token === 'printf') isPrinting = true
    else if (/^[;}\n]$/.test(token)) isPrinting = false
    // Behind print it is the name of a file.
    else if (token === '>' && isPrinting) return false
    else if (token === '(') {
      const isCall = /^[A-Za-z_]\w*$/.test(last) && !STATEMENTS.has(last)
      if (isCall && !FUNCTIONS.has(last)) return false
      open.push(/^(?:if|for|while)$/.test(last) ? last : '')
    } else if (token === ')') closed = open.pop() ?? ''
    last = token
  }
  return true
}

/** Programs of awk that only print. */
export const awk: Program = byGrammar({
  options: '-F= -v= --field-separator= --assign=',
  operands: ([program, ...files], findings) => {
    if (program?.value === undefined || !isHarmlessAwk(program.value)) {
      findings.unknown(`the program of awk may run others: ${shown(program?.text ?? '')}`)
    }
    for (const file of files) {
      // A variable, set between files.
      if (/^(?:FS|RS|OFS|ORS|[a-z]\w*)=/.test(file.value ?? '')) continue
      findings.path(file, 'read')
    }
  },
})
