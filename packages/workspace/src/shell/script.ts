import {
  forEachChild,
  type Command,
  type ParsedScript,
  type Redirection,
  type SyntaxNode,
} from 'unbash'
import { readArgument, type Argument } from './argument.ts'
import { createCoverage } from './coverage.ts'
import { judgeNode } from './hazards.ts'
import { shown } from './path-rule.ts'
import type { Scope } from './scope.ts'
import { variablesIn } from './loop-variables.ts'
import { filesNamedBy } from './named-files.ts'
import {
  judgeRedirect,
  judgeSimpleCommand,
  namesOf,
  plainWords,
  wordsOf,
} from './simple-command.ts'
import type { Draft, Finding } from './draft.ts'

/** Commands deeper inside of each other are not judged. */
const DEEPEST = 40

/**
 * Judges every command of a script that has a source of its own.
 *
 * @returns its words, when it is one plain command
 */
export function judgeSource(
  script: ParsedScript,
  source: string,
  scope: Omit<Scope, 'coverage'>,
): string[] | undefined {
  let isAllowed = true
  const coverage = createCoverage(source)
  const argv = judgeScript(script, source, {
    ...scope,
    coverage,
    add: (draft) => {
      isAllowed &&= draft.found.every(({ verdict }) => verdict === 'allow')
      scope.add(draft)
    },
  })
  // What is asked about is read by a person.
  const missed = isAllowed ? coverage.missed() : undefined
  if (missed === undefined) return argv
  scope.add(question(source, `bash may read it otherwise: ${shown(missed)} is not read`))
  return undefined
}

function judgeScript(script: ParsedScript, source: string, scope: Scope): string[] | undefined {
  if (scope.depth > DEEPEST) {
    scope.add(question(source, 'it is too deep to be judged'))
    return undefined
  }
  const [error] = script.errors ?? []
  if (error) {
    scope.add(question(source, `bash may read it otherwise: ${error.message}`))
  }
  if (script.shebang !== undefined) {
    scope.add(question(source, 'it names its own interpreter'))
  }
  for (const statement of script.commands)
    visit(statement, source, { ...scope, depth: scope.depth + 1 })
  const [only, ...more] = script.commands
  if (error || !only || more.length > 0 || only.background) return undefined
  const { command } = only
  return command.type === 'Command' && isReadWhole(command, source)
    ? plainWords(command)
    : undefined
}

function visit(node: SyntaxNode, source: string, scope: Scope): void {
  const text = source.slice(node.pos, node.end)
  scope.step(1)
  scope.coverage.visit(node)
  const add = (finding: Finding | undefined) => {
    if (!finding) return
    const target = node.type === 'Redirect' && node.target ? [readArgument(node.target)] : []
    scope.add({ text, found: [finding], names: namesOf(target, scope) })
  }
  switch (node.type) {
    case 'Script':
      if (node.source === undefined) judgeScript(node, source, scope)
      else judgeSource(node, node.source, scope)
      return
    case 'Command':
      judgeCommandNode(node, text, source, scope)
      return
    case 'Redirect':
    case 'HereString':
    case 'HereDoc':
      add(judgeRedirect(node, scope))
      break
    default:
      add(judgeNode(node))
  }
  const isLoop = node.type === 'While' || node.type === 'For' || node.type === 'ArithmeticFor'
  const inner = isLoop ? { ...scope, loops: scope.loops + 1 } : scope
  if (node.type === 'For') {
    const body = { ...inner, variables: variablesIn(node, scope.variables) }
    forEachChild(node, (child) => visit(child, source, child === node.body ? body : inner))
  } else if (node.type === 'Pipeline') {
    const inputs = new Map<SyntaxNode, Argument | undefined>(
      node.commands.map((command, index) => [command, inputFrom(node.commands[index - 1], scope)]),
    )
    forEachChild(node, (child) => visit(child, source, { ...scope, input: inputs.get(child) }))
  } else forEachChild(node, (child) => visit(child, source, { ...inner, input: undefined }))
}

/** The files that a command names in its output. */
function inputFrom(node: SyntaxNode | undefined, { variables }: Scope): Argument | undefined {
  return node?.type === 'Command' && node.redirects.every(isOfErrors)
    ? filesNamedBy(wordsOf(node, variables))
    : undefined
}

function isOfErrors({ type, descriptor }: Redirection): boolean {
  return type === 'Redirect' && descriptor?.type === 'FileDescriptor' && descriptor.value === 2
}

function question(text: string, reason: string): Draft {
  return { text, found: [{ verdict: 'ask', reason }] }
}

/** A simple command, then what its words and redirections hold. */
function judgeCommandNode(node: Command, text: string, source: string, scope: Scope): void {
  if (!isReadWhole(node, source)) {
    scope.add(question(text, 'bash may read it otherwise: a part of it is not read'))
  }
  judgeSimpleCommand(node, text, scope)
  const inner = { ...scope, input: undefined }
  forEachChild(node, (child) => {
    // It steers how `read` splits, and nothing else.
    if (node.name?.value === 'read' && child.type === 'Assignment' && child.name === 'IFS') {
      scope.coverage.visit(child)
      forEachChild(child, (value) => visit(value, source, inner))
    } else visit(child, source, inner)
  })
}

const BLANK = /^(?:[ \t]|\\\n)*$/
const OPENS = /^(?:[ \t]|\\\n)*\(/

/** Whether nothing stands between the words of a command, or behind it, that is no word of it. */
function isReadWhole({ name, prefix, suffix, end }: Command, source: string): boolean {
  const pieces = [...prefix, ...(name ? [name] : []), ...suffix]
  const isJoined = pieces.every((piece, index) => {
    const before = pieces[index - 1]
    if (!before) return true
    // The text of a document is below the line in which its command goes on.
    const from = before.type === 'HereDoc' ? (before.delimiter?.end ?? before.end) : before.end
    return BLANK.test(source.slice(from, piece.pos))
  })
  return isJoined && !OPENS.test(source.slice(end, end + 200))
}
