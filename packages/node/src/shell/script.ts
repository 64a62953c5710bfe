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
  return only.command.type === 'Command' ? plainWords(only.command) : undefined
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
  judgeSimpleCommand(node, text, scope)
  forEachChild(node, (child) => visit(child, source, scope))
}
