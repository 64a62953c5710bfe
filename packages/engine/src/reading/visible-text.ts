import { suspectHosts } from './suspect-hosts.ts'

/** A character that cannot be seen, or that changes the order of others, with a name for it. */
export interface HiddenCharacter {
  /** What is shown in its place: a short name, else its number. */
  label: string
  /** Its number and, where it has one, its name. */
  title: string
}

const NAMES = new Map<number, readonly [label: string, name: string]>([
  [0x00, ['NUL', 'null']],
  [0x07, ['BEL', 'bell']],
  [0x08, ['BS', 'backspace']],
  [0x0d, ['CR', 'carriage return']],
  [0x1b, ['ESC', 'escape']],
  [0x7f, ['DEL', 'delete']],
  [0x85, ['NEL', 'next line']],
  [0xa0, ['NBSP', 'no-break space']],
  [0xad, ['SHY', 'soft hyphen']],
  [0x61c, ['ALM', 'Arabic letter mark']],
  [0x200b, ['ZWSP', 'zero width space']],
  [0x200c, ['ZWNJ', 'zero width non-joiner']],
  [0x200d, ['ZWJ', 'zero width joiner']],
  [0x200e, ['LRM', 'left-to-right mark']],
  [0x200f, ['RLM', 'right-to-left mark']],
  [0x2028, ['LSEP', 'line separator']],
  [0x2029, ['PSEP', 'paragraph separator']],
  [0x202a, ['LRE', 'left-to-right embedding']],
  [0x202b, ['RLE', 'right-to-left embedding']],
  [0x202c, ['PDF', 'pop directional formatting']],
  [0x202d, ['LRO', 'left-to-right override']],
  [0x202e, ['RLO', 'right-to-left override']],
  [0x2060, ['WJ', 'word joiner']],
  [0x2066, ['LRI', 'left-to-right isolate']],
  [0x2067, ['RLI', 'right-to-left isolate']],
  [0x2068, ['FSI', 'first strong isolate']],
  [0x2069, ['PDI', 'pop directional isolate']],
  [0xfeff, ['BOM', 'zero width no-break space']],
])

/** What a class of a regular expression holds that finds hidden characters. */
export const HIDDEN = [
  // Controls, format characters, separators, private use, lone surrogates
  String.raw`\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Co}\p{Cs}`,
  // Spaces that are no plain space
  String.raw`\u00a0\u1680\u2000-\u200a\u202f\u205f`,
  // Joiners, fillers and blanks that look like nothing
  String.raw`\u034f\u115f\u1160\u17b4\u17b5\u180b-\u180d\u180f\u2800\u3164\uffa0`,
  // Variation selectors
  String.raw`\ufe00-\ufe0f\u{e0100}-\u{e01ef}`,
].join('')
// What belongs inside an emoji: joiners, presentation selectors, the tags of three flags.
const PICTURE = String.raw`\p{Extended_Pictographic}(?:\p{Emoji_Modifier}|[\ufe0e\ufe0f])?`
const EMOJI = String.raw`[#*\d]\ufe0f?\u20e3|\u{1f3f4}[\u{e0061}-\u{e007a}]{5}\u{e007f}|${PICTURE}(?:\u200d${PICTURE})*`
const TOKEN = new RegExp(`(${EMOJI})|([${HIDDEN}])`, 'gu')

/**
 * Text in pieces: what can be seen as it is, and every character that cannot (invisible ones, bidi
 * controls, terminal escapes) by name, so that what is shown is what would be done. Joiners inside an
 * emoji are left alone.
 */
export function splitHidden(text: string): (string | HiddenCharacter)[] {
  const pieces: (string | HiddenCharacter)[] = []
  let seen = 0
  for (const match of text.matchAll(TOKEN)) {
    const hidden = match[2]
    if (hidden === undefined || hidden === '\n' || hidden === '\t') continue
    if (match.index > seen) pieces.push(text.slice(seen, match.index))
    pieces.push(describe(hidden.codePointAt(0) ?? 0))
    seen = match.index + hidden.length
  }
  if (seen < text.length) pieces.push(text.slice(seen))
  return pieces
}

/** What is shown right after a host that is not what it looks like. */
export interface HostWarning {
  /** The name as computers read it. */
  ascii: string
}

/** Text in pieces as {@link splitHidden} gives them, with a warning after every suspect host. */
export function splitVisible(text: string): (string | HiddenCharacter | HostWarning)[] {
  return splitHidden(text).flatMap((piece): (string | HiddenCharacter | HostWarning)[] => {
    if (typeof piece !== 'string') return [piece]
    const pieces: (string | HostWarning)[] = []
    let seen = 0
    for (const { index, host, ascii } of suspectHosts(piece)) {
      pieces.push(piece.slice(seen, index + host.length), { ascii })
      seen = index + host.length
    }
    return seen < piece.length ? [...pieces, piece.slice(seen)] : pieces
  })
}

/** How many characters of a text are hidden. */
export function countHidden(text: string): number {
  return splitHidden(text).filter((piece) => typeof piece !== 'string').length
}

function describe(code: number): HiddenCharacter {
  const number = `U+${code.toString(16).toUpperCase().padStart(4, '0')}`
  const name = NAMES.get(code)
  return name ? { label: name[0], title: `${number} ${name[1]}` } : { label: number, title: number }
}
