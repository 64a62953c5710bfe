import type { Assignment, Command, Redirection } from 'unbash'
import { readArgument, type Argument } from './argument.ts'
import type { Findings } from './findings.ts'
import { judgePathByText, shown, type PathAccess } from './path-rule.ts'
import { SHELL_NAMES } from './programs/builtins.ts'
import { programOf } from './programs.ts'
import type { Scope } from './scope.ts'
import { isHarmlessVariable } from './variables.ts'
import { strictest, type Judgement } from './verdict.ts'

const HARMLESS: Judgement = { verdict: 'allow', reason: 'changes nothing' }
/** Where the system keeps its own programs. */
const SYSTEM_FOLDER = /^(?:\/usr(?:\/local)?)?\/s?bin\/([^/]+)$/
/** Folders in which a command may run. */
const MOST_FOLDERS = 32
/** Wrappers inside of each other. */
const MOST_WRAPPERS = 20

/** Judges one simple command by its name, its words and what is assigned before it. */
export function judgeSimpleCommand(node: Command, text: string, scope: Scope): void {
  const judgements: Judgement[] = node.prefix.flatMap((part) =>
    part.type === 'Assignment' && node.name ? judgePrefix(part) : [],
  )
  const words = wordsOf(node)
  if (words.length > 0) judgements.push(judgeWords(words, scope, 0))
  scope.add({ text, ...strictest(judgements, HARMLESS) })
}

/** The words of a command that no shell can read in another way. */
export function plainWords(node: Command): string[] | undefined {
  if (node.prefix.length > 0 || node.redirects.length > 0) return undefined
  const words = wordsOf(node).map(({ value, start, isPipe }) =>
    isPipe || start.startsWith('~') ? undefined : value,
  )
  const [name] = words
  if (name === undefined || name === '' || SHELL_NAMES.has(name)) return undefined
  return words.every((word) => word !== undefined) ? words : undefined
}

/** A redirection: where it leads to is a path like any other. */
export function judgeRedirect(redirection: Redirection, scope: Scope): Judgement | undefined {
  const { descriptor } = redirection
  if (descriptor?.type === 'FileDescriptorVariable') {
    return { verdict: 'ask', reason: `changes the variable ${shown(descriptor.name)}` }
  }
  if (redirection.type === 'HereDoc' && !redirection.closing) {
    return { verdict: 'ask', reason: 'the text of its input never ends' }
  }
  if (redirection.type !== 'Redirect') return undefined
  const { operator, target } = redirection
  if (!target) return { verdict: 'ask', reason: 'leads to what could not be read' }
  const argument = readArgument(target)
  if (operator.endsWith('&') && /^(?:\d+-?|-)$/.test(argument.value ?? '')) return undefined
  return judgePath(argument, operator === '<' ? 'read' : 'write', scope)
}

function wordsOf(node: Command): Argument[] {
  const args = node.args.map((arg) =>
    arg.type === 'Word' ? readArgument(arg) : { text: arg.text, start: '', isOne: false },
  )
  return node.name ? [readArgument(node.name), ...args] : args
}

function judgePrefix({ name }: Assignment): Judgement[] {
  if (isHarmlessVariable(name)) return []
  return [{ verdict: 'ask', reason: `the variable ${name} may change what the command does` }]
}

function judgeWords(words: readonly Argument[], scope: Scope, wrappers: number): Judgement {
  const [first, ...args] = words
  if (!first) return HARMLESS
  if (first.value === undefined || /^\$'|^\$"/.test(first.text)) {
    return { verdict: 'ask', reason: 'which command it is is not known before it runs' }
  }
  if (wrappers > MOST_WRAPPERS) return { verdict: 'ask', reason: 'it is too deep to be judged' }
  const name = SYSTEM_FOLDER.exec(first.value)?.[1] ?? first.value
  const given = [name.slice(name.lastIndexOf('/') + 1), ...args.map(({ value }) => value)]
  const { book } = scope
  const denied = book.find('deny', given)
  if (denied !== undefined) return { verdict: 'deny', reason: `the rule “${denied}” forbids it` }
  const asked = book.find('ask', given)
  const allowed = book.find('allow', [name, ...given.slice(1)])
  const judgements: Judgement[] = []
  if (asked !== undefined) judgements.push({ verdict: 'ask', reason: `the rule “${asked}” asks` })
  const program = programOf(name)
  if (allowed !== undefined)
    judgements.push({ verdict: 'allow', reason: `the rule “${allowed}” allows it` })
  else if (program) program(args, findingsFor(judgements, scope, wrappers))
  else judgements.push({ verdict: 'ask', reason: unknownProgram(name) })
  return strictest(judgements, HARMLESS)
}

function unknownProgram(name: string): string {
  return name.includes('/')
    ? `runs the program ${shown(name)} by its path`
    : `what ${shown(name)} does is not known`
}

/** Collects what a program finds out about its words. */
function findingsFor(judgements: Judgement[], scope: Scope, wrappers: number): Findings {
  const add = (judgement: Judgement) => judgements.push(judgement)
  return {
    add: (verdict, reason) => add({ verdict, reason }),
    path: (argument, access) => add(judgePath(argument, access, scope)),
    command: (words) => add(judgeWords(words, scope, wrappers + 1)),
    script: (text) => scope.judgeText(text, scope),
    enter: (folder) => add(enter(folder, scope)),
  }
}

/** What follows may run in the folder, or still where it did. */
function enter(folder: Argument, scope: Scope): Judgement {
  const { value } = folder
  if (value === undefined || value === '' || /^[-~]/.test(value)) {
    return { verdict: 'ask', reason: 'goes to a folder that is not known' }
  }
  if (scope.loops > 0 || value.split('/').includes('..')) {
    return { verdict: 'ask', reason: `where ${shown(value)} leads to depends on where it is` }
  }
  // Each one doubles them.
  if (scope.folders.size > MOST_FOLDERS) {
    return { verdict: 'ask', reason: 'goes to too many folders' }
  }
  const judgement = judgePath(folder, 'list', scope)
  const deeper = Array.from(scope.folders, (known) => joined(known, value))
  for (const found of deeper) scope.folders.add(found)
  return judgement
}

function judgePath(argument: Argument, access: PathAccess, scope: Scope): Judgement {
  const { value, pattern, text } = argument
  const path = value ?? pattern
  if (path === undefined || (value === undefined && access === 'write')) {
    return { verdict: 'ask', reason: `what ${shown(text)} stands for is not known before it runs` }
  }
  const isPattern = value === undefined
  const judge = scope.judgePath ?? judgePathByText
  const judgements = [...scope.folders].map((folder) =>
    judge({ path: joined(folder, path), access, isPattern }),
  )
  return strictest(judgements, HARMLESS)
}

function joined(folder: string, path: string): string {
  return folder === '' || /^[/~]/.test(path) ? path : `${folder}/${path}`
}
