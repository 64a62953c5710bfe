import type { Word, WordPart } from 'unbash'

/** A word of a command as far as it is known before the command runs. */
export interface Argument {
  /** As it stands in the command. */
  readonly text: string
  /** What it will be; none when that depends on variables, files or other commands. */
  readonly value?: string
  /** The pattern that it is, when it stands for the names that match. */
  readonly pattern?: string
  /** What it begins with for certain, when its value is not known. */
  readonly start: string
  /** It is one of these. */
  readonly oneOf?: readonly Argument[]
  /** It is the files that another command names. */
  readonly files?: NamedFiles
  /** The shell or another program splits it, where names hold blanks. */
  readonly isSplit?: true
  /** It is the name of a pipe that the shell makes. */
  readonly isPipe?: true
  /** It will be exactly one word, whatever it holds. */
  readonly isOne: boolean
}

/** Files that a command names, such as those that `find` finds. */
export interface NamedFiles {
  /** Where they are. */
  readonly folders: readonly Argument[]
  /** What their names are like; none where that is not known. */
  readonly names?: readonly string[]
  /** They are files that Git keeps. */
  readonly isTracked?: true
}

/** Escapes that every shell reads alike. */
const PLAIN_ANSI = /^\$'(?:[^\\']|\\[nt\\'])*'$/

/** Bash also reads `~` as a folder where a word looks like an assignment, wherever it stands. */
const ASSIGNED_HOME = /^[A-Za-z_\\][^=]*=.*~/s

/** Reads a word of a command. */
export function readArgument(word: Word): Argument {
  const { text, value, parts } = word
  if (ASSIGNED_HOME.test(text)) return { text, start: '', isOne: true }
  const known = { text, isOne: true }
  if (parts === undefined) return { ...known, value, start: value }
  if (parts.every(isLiteral)) return { ...known, value, start: value }
  if (parts.every((part) => isLiteral(part) || isPlainGlob(part)) && !/[\\'"]/.test(text)) {
    const start = parts[0]?.type === 'Literal' ? parts[0].value : ''
    return { text, pattern: value, start, isOne: false }
  }
  const [only] = parts
  if (parts.length === 1 && only?.type === 'ProcessSubstitution') {
    // Its commands are judged by themselves; here it is the name of a pipe.
    return { ...known, value: '/dev/fd/63', start: '/dev/fd/63', isPipe: true }
  }
  return { text, start: startOf(parts), isOne: parts.every(isOneWord) }
}

/** An argument of which nothing is known, such as one that is read from the input. */
export const UNKNOWN: Argument = { text: '…', start: '', isOne: false }

/** The folder in which a command runs. */
export const HERE: Argument = { text: '.', value: '.', start: '.', isOne: true }

function isLiteral(part: WordPart): boolean {
  switch (part.type) {
    case 'Literal':
    case 'SingleQuoted':
      return true
    case 'AnsiCQuoted':
      return PLAIN_ANSI.test(part.text)
    case 'DoubleQuoted':
      return part.parts.every(({ type }) => type === 'Literal')
    default:
      return false
  }
}

function isPlainGlob(part: WordPart): boolean {
  return part.type === 'Glob' && (part.parts ?? []).every(isLiteral)
}

function startOf(parts: readonly WordPart[]): string {
  const [first] = parts
  if (first?.type === 'Literal' || first?.type === 'SingleQuoted') return first.value
  if (first?.type === 'DoubleQuoted' && first.parts[0]?.type === 'Literal') {
    return first.parts[0].value
  }
  return ''
}

/** Whether a part neither splits nor multiplies the word: expansions do, outside of quotes. */
function isOneWord(part: WordPart): boolean {
  if (isLiteral(part)) return true
  if (part.type !== 'DoubleQuoted') return false
  return part.parts.every(({ type, text }) => {
    if (type === 'Literal' || type === 'CommandExpansion') return true
    return !/[@*]/.test(text)
  })
}
