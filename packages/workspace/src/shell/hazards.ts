import type { ParameterExpansionPart, SyntaxNode, TestExpression, Word } from 'unbash'
import type { Judgement } from './verdict.ts'
import { readArgument } from './argument.ts'
import { isHarmlessVariable, isOwnVariable } from './variables.ts'

const ask = (reason: string): Judgement => ({ verdict: 'ask', reason })

/** Comparisons for which bash evaluates both sides as arithmetic. */
const ARITHMETIC_TEST = /^-(?:eq|ne|lt|le|gt|ge)$/
const NUMBER = /^-?\d{1,18}$/

/**
 * What is to be said about a piece of syntax by itself, apart from what is inside of it. Every kind
 * of node has its line: one that is not known is asked about.
 */
export function judgeNode(node: SyntaxNode): Judgement | undefined {
  switch (node.type) {
    case 'Statement':
      return node.background ? ask('goes on in the background') : undefined
    case 'CommandExpansion':
    case 'ProcessSubstitution':
      return node.script ? undefined : ask('what it runs could not be read')
    case 'ParameterExpansion':
      return judgeParameter(node)
    case 'Assignment':
      return isHarmlessVariable(node.name) || isOwnVariable(node.name)
        ? judgeIndex(node.index)
        : ask(`the variable ${node.name} may change what commands do`)
    case 'For':
      return isOwnVariable(node.name.value)
        ? undefined
        : ask(`the variable ${node.name.value} may change what commands do`)
    case 'TestUnary':
    case 'TestBinary':
      return judgeTest(node)
    case 'ArithmeticWord':
      // A name is evaluated, and what it holds again: `a[$(…)]` in it would run.
      return NUMBER.test(node.value) ? undefined : ask('arithmetic with variables may run commands')
    case 'ArithmeticExpansion':
    case 'ArithmeticCommand':
      return node.expression ? undefined : ask('arithmetic that could not be read')
    case 'ArithmeticUnary':
      return /^(?:\+\+|--)$/.test(node.operator) ? ask('changes a variable') : undefined
    case 'ExtendedGlob':
      return ask('is a pattern that shells read in different ways')
    case 'LocaleString':
      return ask('is translated before it is used')
    case 'Function':
      return ask('gives commands a name of their own')
    case 'Coproc':
      return ask('goes on in the background')
    case 'Select':
      return ask('waits for input')
    case 'ArithmeticFor':
      return ask('counts with variables')
    default:
      return HARMLESS.has(node.type) ? undefined : ask('is not known')
  }
}

const HARMLESS: ReadonlySet<SyntaxNode['type']> = new Set([
  ...([
    'Script',
    'CompoundList',
    'CaseItem',
    'Elif',
    'Pipeline',
    'AndOr',
    'Word',
    'Literal',
  ] as const),
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

function judgeParameter({
  prefix,
  index,
  operation,
}: ParameterExpansionPart): Judgement | undefined {
  if (prefix === '!') return ask('takes the name of a variable from another one')
  if (index) return judgeIndex(index)
  switch (operation?.type) {
    case 'Transform':
    case 'Names':
    case 'Unknown':
      return ask('is an expansion that may run commands')
    case 'Default':
      return operation.operator.endsWith('=') ? ask('changes a variable') : undefined
    case 'Slice':
      return isNumber(operation.offset) && (!operation.length || isNumber(operation.length))
        ? undefined
        : ask('arithmetic with variables may run commands')
    default:
      return undefined
  }
}

/** The index of an array is arithmetic. */
function judgeIndex(index: Word | undefined): Judgement | undefined {
  if (!index || isNumber(index) || /^[@*]$/.test(index.text)) return undefined
  return ask('the index of an array may run commands')
}

function judgeTest(
  test: Extract<TestExpression, { type: 'TestUnary' | 'TestBinary' }>,
): Judgement | undefined {
  if (test.type === 'TestUnary') {
    const isKnown = /^-[abcdefghknprsuwxzGLNOSt]$/.test(test.operator)
    return isKnown ? undefined : ask('the test may evaluate a variable')
  }
  if (!ARITHMETIC_TEST.test(test.operator)) return undefined
  return isNumber(test.left) && isNumber(test.right)
    ? undefined
    : ask('arithmetic with variables may run commands')
}

function isNumber(word: Word): boolean {
  return NUMBER.test(readArgument(word).value?.trim() ?? '')
}
