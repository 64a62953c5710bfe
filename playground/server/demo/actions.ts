import { namesIn, partOf, type Phrase, QUOTE, quotedValues, valueOf } from './phrase.ts'
import type { ToolRequest } from './skill.ts'

/** Reads one clause of a request as calls of a tool; empty when it speaks of something else. */
type Reader = (clause: Phrase) => ToolRequest[]

/** What one clause of a request asks for: "delete “A” and “B”" is two calls. */
export function readCalls(clause: Phrase): ToolRequest[] {
  for (const read of READERS) {
    const calls = read(clause)
    if (calls.length > 0) return calls
  }
  return []
}

const NAMED = '(?:called|named|titled|with the title)'
/** What stands between a name and a content: "saying", "with the text", a colon. */
const SAYING = [
  String.raw`\s+(?:saying|says|that says|which says|with (?:the |this )?(?:content|text|body))\s*:?\s+`,
  String.raw`(?<=\uE001)\s+with\s+`,
  String.raw`\s*:\s+`,
].join('|')

const READERS: readonly Reader[] = [
  matching(/^(?:delete|remove|erase|drop)\s+(?:the |my |our |old )*backups?\b(.*)$/isu, (clause) =>
    namesIn(clause, clause.text).map((name) => ({ toolName: 'delete_backup', input: { name } })),
  ),
  matching(
    /^(?:write|create|make|save|jot(?: down)?|add)\s+(?:me\s+)?(?:(?:an?|the|another)\s+)?(?:new\s+)?note\b(.*)$/isu,
    (clause) => [{ toolName: 'write_note', input: titleAndContent(clause) }],
  ),
  matching(
    /^(?:update|change|replace|overwrite|edit|set)\s+(?:(?:the|my)\s+)?note\b(.*)$/isu,
    (clause) => {
      const found = /^(.+?)\s+(?:to say|to|with|so that it says)\s+(.+)$/isu.exec(clause.text)
      if (!found?.[1] || !found[2]) return []
      const title = namesIn(clause, found[1])[0] ?? valueOf(clause, found[1])
      return [{ toolName: 'write_note', input: { title, content: valueOf(clause, found[2]) } }]
    },
  ),
  matching(/^archive\s+(.+)$/isu, (clause) =>
    namesIn(clause, clause.text).map((title) => ({ toolName: 'archive_note', input: { title } })),
  ),
  matching(/^(?:delete|remove|erase|trash|throw away|drop)\s+(.+)$/isu, (clause) =>
    namesIn(clause, clause.text).map((title) => ({ toolName: 'delete_note', input: { title } })),
  ),
  matching(
    /^(?:(?:list|show|see|count|check|give)\s+(?:me\s+)?(?:all\s+)?(?:of\s+)?(?:(?:the|my|our)\s+)?(?:list of\s+)?notes\b|(?:what|which|how many) notes\b|what(?:'s|’s| is) in (?:my |the )?(?:notes|workspace))(.*)$/isu,
    () => [{ toolName: 'list_notes', input: {} }],
  ),
  matching(
    /^(?:list|show|find|print)\s+(?:me\s+)?(?:all\s+)?(?:the\s+)?primes?\b(.*)$/isu,
    (clause) => {
      const bound = Number(/\d[\d,._ ]*/u.exec(clause.text)?.[0].replaceAll(/\D/gu, '') ?? 1000)
      return [{ toolName: 'list_primes', input: { below: bound } }]
    },
  ),
  matching(
    /^(?:search|find|look)\s+(?:(?:in|through|up|for|my|the|all|our|notes?|mentioning|containing|about|with)\s+)*(.+)$/isu,
    (clause) => {
      const query =
        quotedValues(clause, clause.text)[0] ??
        valueOf(clause, clause.text.replace(/\s+in (?:my |the )?notes\b.*$/iu, ''))
      return [{ toolName: 'search_notes', input: { query } }]
    },
  ),
  matching(/^(?:read|open|show|view)\s+(?:me\s+)?(.+)$/isu, (clause) =>
    namesIn(clause, clause.text).map((title) => ({ toolName: 'read_note', input: { title } })),
  ),
  matching(
    /^export\s+(?:(?:all|my|the|our|of|notes?|workspace|everything)\b\s*)*(?:to\s+)?(.*)$/isu,
    (clause) => {
      const target = namesIn(clause, clause.text)[0] ?? 'the archive drive'
      return [{ toolName: 'export_notes', input: { target } }]
    },
  ),
  matching(/^(?:send|email|mail|deliver)\s+(.*\breport\b.*)$/isu, (clause) => [
    { toolName: 'send_report', input: reportIn(clause) },
  ]),
  matching(/^(?:what|tell|get|check|show|give|ask)\b(.*\b(?:time|clock)\b.*)$/isu, () => [
    { toolName: 'server_time', input: {} },
  ]),
]

function matching(pattern: RegExp, read: (rest: Phrase) => ToolRequest[]): Reader {
  return (clause) => {
    const found = pattern.exec(clause.text)
    return found ? read(partOf(clause, found[1] ?? '')) : []
  }
}

function titleAndContent(clause: Phrase): { title: string; content: string } {
  const { head, said } = splitAtSaying(clause)
  const that = /^\s*that\s+(.+)$/isu.exec(head)?.[1]
  const content = said ?? (that === undefined ? undefined : valueOf(clause, that))
  const [first, second] = quotedValues(clause, head)
  const name = new RegExp(String.raw`\b(?:${NAMED}|about)\s+(${QUOTE}|.+)$`, 'isu').exec(head)?.[1]
  if (content !== undefined) {
    const title = name === undefined ? first : valueOf(clause, name)
    return { title: title ?? firstWords(content), content }
  }
  const title = name === undefined ? first : valueOf(clause, name)
  return { title: title ?? 'New note', content: second ?? '' }
}

const RECIPIENT = new RegExp(
  String.raw`\bto\s+(${QUOTE}|\S+@[\w.-]*\w|(?:the\s+)?[\p{L}\d-]+)`,
  'iu',
)
const SUBJECT = new RegExp(
  String.raw`\b(?:about|on|${NAMED}|with the subject)\s+(${QUOTE}|.+?)(?=\s+to\b|[.!?]*$)`,
  'isu',
)

function reportIn(clause: Phrase): { to: string; subject: string; body: string } {
  const { head, said } = splitAtSaying(clause)
  const to = RECIPIENT.exec(head)?.[1]
  const subject = SUBJECT.exec(head)?.[1]
  return {
    to: to === undefined ? 'team@example.org' : valueOf(clause, to),
    subject: subject === undefined ? firstWords(said ?? 'Report') : valueOf(clause, subject),
    body: said ?? 'Nothing to report.',
  }
}

function splitAtSaying(clause: Phrase): { head: string; said: string | undefined } {
  const found = new RegExp(`^(.*?)(?:${SAYING})(.+)$`, 'isu').exec(clause.text)
  if (!found) return { head: clause.text, said: undefined }
  return { head: found[1] ?? '', said: valueOf(clause, found[2] ?? '') }
}

function firstWords(text: string): string {
  const words = text.trim().split(/\s+/u)
  return words.length > 5 ? `${words.slice(0, 5).join(' ')} …` : words.join(' ')
}
