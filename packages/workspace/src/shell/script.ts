import { forEachChild, type Command, type ParsedScript, type SyntaxNode } from 'unbash'
import { judgeNode } from './hazards.ts'
import type { Scope } from './scope.ts'
import { judgeRedirect, judgeSimpleCommand, plainWords } from './simple-command.ts'
import type { Judgement } from './verdict.ts'

/** Commands deeper inside of each other are not judged. */
const DEEPEST = 40

/**
 * Judges every command of a script.
 *
 * @returns its words, when it is one plain command
 */
export function judgeScript(
  script: ParsedScript,
  text: string,
  scope: Scope,
): string[] | undefined {
  const source = script.source ?? text
  if (scope.depth > DEEPEST) {
    scope.add({ text: source, verdict: 'ask', reason: 'it is too deep to be judged' })
    return undefined
  }
  const [error] = script.errors ?? []
  if (error) {
    scope.add({
      text: source,
      verdict: 'ask',
      reason: `bash may read it otherwise: ${error.message}`,
    })
  }
  if (script.shebang !== undefined) {
    scope.add({ text: source, verdict: 'ask', reason: 'it names its own interpreter' })
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
  const add = (judgement: Judgement | undefined) => {
    if (judgement) scope.add({ text, ...judgement })
  }
  switch (node.type) {
    case 'Script':
      judgeScript(node, source, scope)
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
  forEachChild(node, (child) => visit(child, source, inner))
}

/** A simple command, then what its words and redirections hold. */
function judgeCommandNode(node: Command, text: string, source: string, scope: Scope): void {
  if (!isReadWhole(node, source)) {
    scope.add({
      text,
      verdict: 'ask',
      reason: 'bash may read it otherwise: a part of it is not read',
    })
  }
  judgeSimpleCommand(node, text, scope)
  forEachChild(node, (child) => visit(child, source, scope))
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
