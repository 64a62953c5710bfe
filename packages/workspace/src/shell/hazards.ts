import type { ParameterExpansionPart, SyntaxNode, TestExpression, Word } from 'unbash'
import type { Finding } from './draft.ts'
import { readArgument } from './argument.ts'
import { isHarmlessVariable, isOwnVariable } from './variables.ts'

const ask = (reason: string): Finding => ({ verdict: 'ask', reason })
/** Asks because what it runs, if anything, is not known. */
const unknown = (reason: string): Finding => ({ verdict: 'ask', reason, isUnknown: true })

/** Comparisons for which bash evaluates both sides as arithmetic. */
const ARITHMETIC_TEST = /^-(?:eq|ne|lt|le|gt|ge)$/
const NUMBER = /^-?\d{1,18}$/

/**
 * What is to be said about a piece of syntax by itself, apart from what is inside of it. Every kind
 * of node has its line: one that is not known is asked about.
 */
export function judgeNode(node: SyntaxNode): Finding | undefined {
  switch (node.type) {
    case 'Statement':
      return node.background ? ask('goes on in the background') : undefined
    case 'Word':
      return countWords(node) > MOST_WORDS
        ? ask('stands for more words than a machine may hold')
        : undefined
    case 'CommandExpansion':
    case 'ProcessSubstitution':
      return node.script ? undefined : ask('what it runs could not be read')
    case 'ParameterExpansion':
      return judgeParameter(node)
    case 'Assignment':
      return isHarmlessVariable(node.name) || isOwnVariable(node.name)
        ? judgeIndex(node.index)
        : unknown(`the variable ${node.name} may change what commands do`)
    case 'For':
      return isOwnVariable(node.name.value)
        ? undefined
        : unknown(`the variable ${node.name.value} may change what commands do`)
    case 'TestUnary':
    case 'TestBinary':
      return judgeTest(node)
    case 'ArithmeticWord':
      // A name is evaluated, and what it holds again: `a[$(…)]` in it would run.
      return NUMBER.test(node.value)
        ? undefined
        : unknown('arithmetic with variables may run commands')
    case 'ArithmeticExpansion':
    case 'ArithmeticCommand':
      return node.expression ? undefined : ask('arithmetic that could not be read')
    case 'ArithmeticUnary':
      return /^(?:\+\+|--)$/.test(node.operator) ? unknown('changes a variable') : undefined
    case 'ExtendedGlob':
      return unknown('is a pattern that shells read in different ways')
    case 'LocaleString':
      return unknown('is translated before it is used')
    case 'Function':
      return unknown('gives commands a name of their own')
    case 'Coproc':
      return ask('goes on in the background')
    case 'Select':
      return ask('waits for input')
    case 'ArithmeticFor':
      return unknown('counts with variables')
    default:
      return HARMLESS.has(node.type) ? undefined : ask('is not known')
  }
}

const HARMLESS: ReadonlySet<SyntaxNode['type']> = new Set([
  ...(['Script', 'CompoundList', 'CaseItem', 'Elif', 'Pipeline', 'AndOr', 'Literal'] as const),
  ...(['Glob', 'SingleQuoted', 'DoubleQuoted', 'AnsiCQuoted', 'SimpleExpansion'] as const),
  ...([
    'BraceExpansion',
    'ArrayValue',
    'FileDescriptor',
    'HereDocDelimiter',
    'HereDocBody',
  ] as const),
  ...(['If', 'While', 'Subshell', 'BraceGroup', 'Case', 'TestCommand', 'Redirected'] as const),
  ...(['Time', 'Negation', 'TestLogical', 'TestNot', 'TestGroup'] as const),
  ...(['ArithmeticBinary', 'ArithmeticTernary', 'ArithmeticGroup'] as const),
  ...([
    'ArithmeticCommandExpansion',
    'Default',
    'Remove',
    'Replace',
    'CaseModification',
    'Slice',
  ] as const),
])

/** Words that braces in one word may stand for. */
const MOST_WORDS = 10_000
const INNERMOST = /\{([^{}]*)\}/
const RANGE = /^(-?\d+|[A-Za-z])\.\.(-?\d+|[A-Za-z])(?:\.\.-?\d+)?$/

/** How many words the braces of a word stand for, at most. */
function countWords({ text, parts = [] }: Word): number {
  if (!parts.some(({ type }) => type === 'BraceExpansion')) return 1
  let count = 1
  let rest = text
  for (let found = INNERMOST.exec(rest); found; found = INNERMOST.exec(rest)) {
    count *= countAlternatives(found[1] ?? '')
    if (count > MOST_WORDS) return count
    rest = rest.replace(INNERMOST, '')
  }
  return count
}

function countAlternatives(inner: string): number {
  const [, first, last] = RANGE.exec(inner) ?? []
  if (first === undefined || last === undefined) return inner.split(',').length
  const [from, to] = [first, last].map((end) => (/\d/.test(end) ? Number(end) : end.charCodeAt(0)))
  return Math.abs((to ?? Infinity) - (from ?? 0)) + 1
}

function judgeParameter({ prefix, index, operation }: ParameterExpansionPart): Finding | undefined {
  if (prefix === '!') return unknown('takes the name of a variable from another one')
  if (index) return judgeIndex(index)
  switch (operation?.type) {
    case 'Transform':
    case 'Names':
    case 'Unknown':
      return unknown('is an expansion that may run commands')
    case 'Default':
      return operation.operator.endsWith('=') ? unknown('changes a variable') : undefined
    case 'Slice':
      return isNumber(operation.offset) && (!operation.length || isNumber(operation.length))
        ? undefined
        : unknown('arithmetic with variables may run commands')
    default:
      return undefined
  }
}

/** The index of an array is arithmetic. */
function judgeIndex(index: Word | undefined): Finding | undefined {
  if (!index || isNumber(index) || /^[@*]$/.test(index.text)) return undefined
  return unknown('the index of an array may run commands')
}

function judgeTest(
  test: Extract<TestExpression, { type: 'TestUnary' | 'TestBinary' }>,
): Finding | undefined {
  if (test.type === 'TestUnary') {
    const isKnown = /^-[abcdefghknprsuwxzGLNOSt]$/.test(test.operator)
    return isKnown ? undefined : unknown('the test may evaluate a variable')
  }
  if (!ARITHMETIC_TEST.test(test.operator)) return undefined
  return isNumber(test.left) && isNumber(test.right)
    ? undefined
    : unknown('arithmetic with variables may run commands')
}

function isNumber(word: Word): boolean {
  return NUMBER.test(readArgument(word).value?.trim() ?? '')
}
