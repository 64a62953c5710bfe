import type { SyntaxNode } from 'unbash'

/** How bash reads the text between two places. */
interface Stretch {
  readonly pos: number
  readonly end: number
  /**
   * - `word` a word, a redirection or another piece that was judged as a whole
   * - `script` commands, as in `$(…)`
   * - `double` double quotes, or the text of a document: only `$` and backticks have a meaning
   * - `text` nothing has a meaning
   */
  readonly kind: 'word' | 'script' | 'double' | 'text'
}

/** What was seen of a source while its nodes were visited. */
export interface Coverage {
  visit(node: SyntaxNode): void
  /** What bash may run or expand and no node that was visited stands for, if anything. */
  missed(): string | undefined
}

/** Where an expansion or a substitution may begin. */
const BEGINS = /`|\$(?=[\w({[@*#?$!'"-])|[<>]\(/g
/** What stands between the words of commands. */
const BETWEEN =
  /^(?:[ \t\n;&|(){}!]|\\\n|-p\b|--|\b(?:if|then|elif|else|fi|for|in|do|done|while|until|case|esac|time)\b)*$/
const COMMENT = /(^|[ \t\n;&|()])#[^\n]*/g

/**
 * Notes the nodes of a source as they are visited, so that in the end no part of it was passed over: a
 * parser that reads a text in another way than bash does leaves something behind.
 */
export function createCoverage(source: string): Coverage {
  const begun = new Set<number>()
  const stretches: Stretch[] = []
  const note = (kind: Stretch['kind'], pos: number, end: number) =>
    stretches.push({ kind, pos, end })

  function visit(node: SyntaxNode): void {
    const { pos, end } = node
    switch (node.type) {
      case 'SimpleExpansion':
      case 'ParameterExpansion':
      case 'ArithmeticExpansion':
        begun.add(pos)
        break
      case 'CommandExpansion':
      case 'ArithmeticCommandExpansion':
      case 'ProcessSubstitution': {
        const isTicks = source.charAt(pos) === '`'
        begun.add(pos)
        if (isTicks) begun.add(end - 1)
        // Where something in it is escaped, its script has a source of its own.
        const isApart = node.script?.source !== undefined
        note(isApart ? 'text' : 'script', pos + (isTicks ? 1 : 2), end - 1)
        break
      }
      case 'SingleQuoted':
      case 'AnsiCQuoted':
        begun.add(pos)
        note('text', pos, end)
        break
      case 'DoubleQuoted':
        note('double', pos, end)
        break
      case 'HereDoc':
        note('word', pos, node.delimiter?.end ?? end)
        note(node.delimiter?.quoted ? 'text' : 'double', node.body.pos, node.body.end)
        if (node.closing) note('word', node.closing.pos, node.closing.end)
        break
      case 'Word':
      case 'Assignment':
      case 'Redirect':
      case 'HereString':
      case 'TestCommand':
      case 'ArithmeticCommand':
        note('word', pos, end)
        break
      default:
    }
  }

  return { visit, missed: () => findMissed(source, stretches, begun) }
}

function findMissed(
  source: string,
  stretches: readonly Stretch[],
  begun: ReadonlySet<number>,
): string | undefined {
  // The outer one first, so that the last one that holds a place is the innermost.
  const sorted = stretches.toSorted((a, b) => a.pos - b.pos || b.end - a.end)
  const open: Stretch[] = [{ kind: 'script', pos: 0, end: source.length }]
  // Up to where the text of each open stretch has been read.
  const read: number[] = [0]
  let next = 0

  /** What stands between the words of a script must be known. */
  function gap(until: number): string | undefined {
    const { kind } = open.at(-1) ?? { kind: 'word' }
    const from = read.at(-1) ?? 0
    read[read.length - 1] = Math.max(from, until)
    if (kind === 'script') {
      const before = from === 0 ? '\n' : source.charAt(from - 1) === '\n' ? '\n' : 'x'
      const text = (before + source.slice(from, until)).replaceAll(COMMENT, '$1').slice(1)
      return BETWEEN.test(text) ? undefined : text.trim()
    }
    if (kind === 'text') return undefined
    const isQuoted = kind === 'double' || open.some((one) => one.kind === 'double' && isInside(one))
    for (const { index, 0: sign } of source.slice(from, until).matchAll(BEGINS)) {
      const at = from + index
      if (begun.has(at) || isEscaped(source, at)) continue
      if (isQuoted && (sign.length === 2 || /['"]/.test(source.charAt(at + 1)))) continue
      return source.slice(at, at + 20)
    }
    return undefined
  }

  /** Whether nothing but words stands between a stretch and the innermost one. */
  function isInside(outer: Stretch): boolean {
    return open.slice(open.indexOf(outer) + 1).every(({ kind }) => kind === 'word')
  }

  for (;;) {
    const inner = sorted[next]
    const last = open.at(-1)
    if (!last) return undefined
    if (inner && inner.pos < last.end) {
      if (inner.end > last.end) return source.slice(last.end, inner.end)
      const missed = gap(inner.pos)
      if (missed !== undefined) return missed
      open.push(inner)
      read.push(inner.pos)
      next++
    } else {
      const missed = gap(last.end)
      if (missed !== undefined) return missed
      open.pop()
      read.pop()
      if (read.length > 0) read[read.length - 1] = last.end
    }
  }
}

function isEscaped(source: string, at: number): boolean {
  let from = at
  while (source.charAt(from - 1) === '\\') from--
  return (at - from) % 2 === 1
}
