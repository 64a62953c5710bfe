import { ALLOWED, type Clearance } from '../tool-kit.ts'
import type { CommandJudgement } from './judge-command.ts'
import { shown } from './path-rule.ts'
import { stricterFirst, type CommandPart } from './verdict.ts'

/** Parts of a command that a reason names. */
const MOST_PARTS = 3

/** What becomes of a command that was judged, with the reasons of its parts: the strictest first. */
export function clearanceOf({ verdict, parts }: CommandJudgement, command: string): Clearance {
  const strict = parts.filter((part) => part.verdict === verdict).toSorted(stricterFirst)
  if (verdict === 'allow' || strict.length === 0) return ALLOWED
  const reasons = [...new Set(strict.map((part) => inWords(part, command)))]
  const more = reasons.length - MOST_PARTS
  const said = reasons.slice(0, MOST_PARTS).join('; ')
  const rest = more > 0 ? `; and ${more} more` : ''
  // A name keeps its letters.
  const sentence = said.replace(/^[a-z](?=[a-z]* )/, (letter) => letter.toUpperCase())
  return { verdict, reason: `${sentence}${rest}.` }
}

function inWords({ reason, text }: CommandPart, command: string): string {
  const isShort = text !== command && text.length <= 80
  return isShort ? `${reason} (${shown(text)})` : reason
}
