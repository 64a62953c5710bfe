import type { Assignment, Command, Redirection } from 'unbash'
import { destroys } from './destroying-words.ts'
import { readWords, type KnownVariables } from './words.ts'
import { HERE, readArgument, type Argument } from './argument.ts'
import type { Findings } from './findings.ts'
import { shown, type PathAccess, type PathRequest } from './path-rule.ts'
import { SHELL_NAMES } from './programs/builtins.ts'
import { gitWords } from './programs/git.ts'
import { RUNS_ANYTHING, RUNS_COMMANDS } from './programs/writing.ts'
import { programOf } from './programs.ts'
import type { RuleBook } from './rules.ts'
import type { Scope } from './scope.ts'
import { isHarmlessVariable } from './variables.ts'
import { riskOf, type Finding } from './draft.ts'
import { worstRisk, type CommandRisk } from './verdict.ts'

const HARMLESS: Finding = { verdict: 'allow', reason: 'changes nothing' }
/** Where the system keeps its own programs. */
const SYSTEM_FOLDER = /^(?:\/usr(?:\/local)?)?\/s?bin\/([^/]+)$/
/** Folders in which a command may run. */
const MOST_FOLDERS = 32
/** Wrappers inside of each other. */
const MOST_WRAPPERS = 20

/** Judges one simple command by its name, its words and what is assigned before it. */
export function judgeSimpleCommand(node: Command, text: string, scope: Scope): void {
  const isRead = node.name?.value === 'read'
  const found: Finding[] = node.prefix.flatMap((part) =>
    part.type === 'Assignment' && node.name && !(isRead && part.name === 'IFS')
      ? judgePrefix(part)
      : [],
  )
  const words = wordsOf(node, scope.variables)
  // Before it goes to another folder.
  const names = namesOf(words, scope)
  if (words.length > 0) found.push(...judgeWords(words, scope, 0))
  scope.add({ text, found, names })
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
export function judgeRedirect(redirection: Redirection, scope: Scope): Finding | undefined {
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
  const access = operator === '<' ? 'read' : 'write'
  return { ...judgePath(argument, access, scope), isOfKnown: true }
}

/** The words of a command, as far as they are known. */
export function wordsOf(node: Command, variables: KnownVariables = new Map()): Argument[] {
  const args = node.args.flatMap((arg) =>
    arg.type === 'Word' ? readWords(arg, variables) : [{ text: arg.text, start: '', isOne: false }],
  )
  return node.name ? [readArgument(node.name), ...args] : args
}

function judgePrefix({ name }: Assignment): Finding[] {
  if (isHarmlessVariable(name)) return []
  const reason = `the variable ${name} may change what the command does`
  return [{ verdict: 'ask', reason, isUnknown: true }]
}

function judgeWords(words: readonly Argument[], scope: Scope, wrappers: number): Finding[] {
  scope.step(words.length)
  const [first, ...args] = words
  if (!first) return []
  if (first.value === undefined || /^\$'|^\$"/.test(first.text)) {
    const reason = 'which command it is is not known before it runs'
    return [unknown(reason), judgePath(HERE, 'history', scope)]
  }
  if (wrappers > MOST_WRAPPERS) return [{ verdict: 'ask', reason: 'it is too deep to be judged' }]
  const name = SYSTEM_FOLDER.exec(first.value)?.[1] ?? first.value
  const given = [name.slice(name.lastIndexOf('/') + 1), ...args.map(({ value }) => value)]
  const { book } = scope
  const allowed = book.find('allow', [name, ...given.slice(1)])
  const program = programOf(name)
  const found: Finding[] = []
  const inner = allowed === undefined ? scope : { ...scope, add: () => {} }
  const isNamed = !given.includes(undefined) || !book.mayFind(given)
  const mayRunOthers = RUNS_ANYTHING.has(name) || SHELL_NAMES.has(name)
  const tell = (one: Finding): void => {
    const isOfKnown = isNamed && !(mayRunOthers && one.isUnknown)
    found.push({ ...one, ...(isOfKnown && { isOfKnown }) })
  }
  if (program) program(args, findingsFor(tell, found, inner, wrappers))
  else {
    found.push(unknown(unknownProgram(name)))
    // Git by another path, or one of its own programs.
    if (/^git(?:-|$)/i.test(given[0] ?? '')) found.push(judgePath(HERE, 'history', scope))
  }
  // Of what asks it is not known which words are paths: each may be one.
  if (allowed?.isPrefix && found.some(({ verdict }) => verdict !== 'allow')) {
    found.push(...judgeOperands(args.slice(allowed.words.length - 1), scope))
  }
  // Git's own words are known.
  if (name !== 'git' && found.some(isOpen) && destroys(name, args)) {
    found.splice(0, found.length, ...found.map(asDestroying))
  }

  const risk = worstRisk(found.map(riskOf))
  if (allowed) {
    // What it does is known from the program; whether it may, the rule says.
    const needs = found.flatMap((one) => one.needs ?? [])
    const stays = found.flatMap((one) => besideRule(one, allowed.isPrefix))
    const reason = `the rule “${allowed.text}” allows it`
    found.splice(0, found.length, { verdict: 'allow', reason, risk, needs }, ...stays)
  }
  const asked = findStrict(book, 'ask', given)
  if (asked !== undefined) {
    found.unshift({ verdict: 'ask', reason: `the rule “${asked}” asks`, risk, isRule: true })
  }
  const denied = findStrict(book, 'deny', given)
  if (denied !== undefined) {
    found.unshift({
      verdict: 'deny',
      reason: `the rule “${denied}” forbids it`,
      risk,
      isRule: true,
    })
  }
  return found
}

/** It asks, and what the command does at most is not known. */
const isOpen = ({ verdict, risk }: Finding) => verdict === 'ask' && risk === undefined
const asDestroying = (one: Finding): Finding => (isOpen(one) ? { ...one, risk: 'destroy' } : one)

/** What words would be as paths that are read: as they are, behind `=` and `@`, and in a URL of a file. */
function judgeOperands(words: readonly Argument[], scope: Scope): Finding[] {
  return words.flatMap((word) => {
    const { value = '' } = word
    const behind = value.slice(value.indexOf('=') + 1).replace(/^@/, '')
    const meant = [value, behind, behind.replace(/^file:\/\//i, '')].filter((one) => one !== '')
    return [...new Set(meant)].map((path) =>
      judgePath({ ...word, value: path, start: path }, 'read', scope),
    )
  })
}

type Given = readonly (string | undefined)[]

/**
 * The rule that a command falls under, or what it runs: options of Git before its word do not change
 * what it does, and what stands behind the name of a wrapper may be a command, whatever its options.
 */
function findStrict(book: RuleBook, kind: 'ask' | 'deny', given: Given): string | undefined {
  if (!book.has(kind)) return undefined
  const [name] = given
  const starts = name !== undefined && RUNS_COMMANDS.has(name) ? given.map((_, at) => at) : [0]
  for (const start of starts) {
    const words = given.slice(start)
    words[0] = words[0]?.slice(words[0].lastIndexOf('/') + 1)
    const rule = book.find(kind, words)
    if (rule) return rule.text
    if (words[0]?.toLowerCase() !== 'git') continue
    const args = gitWords(words.slice(1).map((value) => (value === undefined ? {} : { value })))
    const inner = book.find(kind, ['git', ...args.map(({ value }) => value)])
    if (inner) return inner.text
  }
  return undefined
}

/**
 * What counts beside a rule that allows the command: other rules do; with a rule that ends in `*`, which
 * has not named them, also paths outside and those that may hold secrets.
 */
function besideRule(finding: Finding, isPrefix: boolean): Finding[] {
  if (finding.isRule && finding.verdict !== 'allow') return [finding]
  return isPrefix && finding.paths ? [{ ...finding, isBeyondRule: true }] : []
}

const unknown = (reason: string): Finding => ({ verdict: 'ask', reason, isUnknown: true })

function unknownProgram(name: string): string {
  return name.includes('/')
    ? `runs the program ${shown(name)} by its path`
    : `what ${shown(name)} does is not known`
}

/** Collects what a program finds out about its words, and about the commands that it runs. */
function findingsFor(
  tell: (one: Finding) => void,
  found: Finding[],
  scope: Scope,
  wrappers: number,
): Findings {
  return {
    add: (verdict, reason, details) => tell({ verdict, reason, ...details }),
    unknown: (reason) => tell(unknown(reason)),
    path: (argument, access) => tell(judgePath(argument, access, scope)),
    revision: (argument) => {
      for (const path of pathsOfRevision(argument)) tell(judgePath(path, 'read', scope))
    },
    command: (words) => found.push(...judgeWords(words, scope, wrappers + 1)),
    script: (text) => scope.judgeText(text, scope),
    input: scope.input,
    enter: (folder) => tell(enter(folder, scope)),
  }
}

/** `HEAD:path`, `:0:path`, and `1,5:path` of `git log -L`. */
function pathsOfRevision(argument: Argument): Argument[] {
  const { value } = argument
  if (value === undefined || !value.includes(':')) return [argument]
  const behind = [value.indexOf(':'), value.lastIndexOf(':')].map(
    (at) => value.slice(at + 1) || '.',
  )
  return [argument, ...behind.map((path) => ({ ...argument, value: path, start: path }))]
}

/** What follows may run in the folder, or still where it did. */
function enter(folder: Argument, scope: Scope): Finding {
  const { value } = folder
  if (value === undefined || value === '' || /^[-~]/.test(value)) {
    return unknown('goes to a folder that is not known')
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

function judgePath(argument: Argument, access: PathAccess, scope: Scope): Finding {
  const { text, oneOf = [argument] } = argument
  const risk: CommandRisk = access === 'write' ? 'write' : 'read'
  const wanted = oneOf.flatMap((one) => wantedOf(one, access) ?? [undefined])
  if (!wanted.every((one) => one !== undefined)) {
    const reason = `what ${shown(text)} stands for is not known before it runs`
    return access === 'write'
      ? { verdict: 'ask', reason, risk, needs: ['write'] }
      : { ...unknown(reason), risk }
  }
  const paths = [...scope.folders].flatMap((folder) =>
    wanted.map((request) => ({ ...request, path: joined(folder, request.path) })),
  )
  return { ...HARMLESS, risk, paths }
}

/** What a word wants of which paths; nothing when that is not known before the command runs. */
function wantedOf(argument: Argument, access: PathAccess): PathRequest[] | undefined {
  const { value, pattern, files, isSplit } = argument
  if (value !== undefined) return [{ path: value, access, isPattern: false }]
  if (access === 'write') return undefined
  const split = isSplit && { isSplit }
  if (pattern !== undefined) return [{ path: pattern, access, isPattern: true, ...split }]
  if (!files) return undefined
  const { folders, names, isTracked } = files
  if (isTracked) return [{ path: '.', access: 'history', isPattern: false, ...split }]
  // Links that are found are followed when they are read.
  const within = access === 'list' ? 'list' : 'linked-tree'
  const wanted = folders.map(({ value: path }) =>
    path === undefined
      ? undefined
      : { path, access: within, isPattern: false, ...(names && { names }), ...split },
  ) satisfies (PathRequest | undefined)[]
  return wanted.every((one) => one !== undefined) ? wanted : undefined
}

/**
 * What words would be as paths: as they are, and behind `=` and `@`. They stand for what is there when
 * every `cd` before has worked.
 */
export function namesOf(words: readonly Argument[], { folders }: Scope): string[] {
  const folder = [...folders].at(-1) ?? ''
  return words
    .flatMap(({ value, oneOf }) => oneOf?.map((one) => one.value) ?? [value])
    .flatMap((value) => {
      if (value === undefined || value.includes('\0')) return []
      const behind = value.slice(value.indexOf('=') + 1).replace(/^@/, '')
      return [...new Set([value, behind])].filter((one) => one !== '')
    })
    .map((value) => joined(folder, value))
}

function joined(folder: string, path: string): string {
  return folder === '' || /^[/~]/.test(path) ? path : `${folder}/${path}`
}
