import { callAll, inStages } from '../outcomes.ts'
import { isTrueAt, listAt, numberAt, textAt } from '../json-fields.ts'
import { namesIn, partOf, QUOTE, valueOf, withoutManners } from '../phrase.ts'
import type { SettledCall, SettledStep } from '../prompt.ts'
import type { Reply, Skill, ToolRequest } from '../skill.ts'
import { joined, noteTitles, quotedList } from '../tool-words.ts'

const LOOK: ToolRequest = { toolName: 'list_notes', input: {} }
const APPEND = new RegExp(
  String.raw`^(?:add|append|put)\s+(?!(?:an?|the|another)?\s*(?:new\s+)?note\b)(${QUOTE}|.+?)\s+(?:to|on|in|into)\s+(.+)$`,
  'isu',
)
const LIST_THEN_APPEND = /^.*?\bnotes\b,?\s*(?:and\s+)?(?:then\s+)?(?=(?:add|append|put)\b)/isu

/** Three steps, each made of what the one before found: list, read, write. */
export const appendToNote: Skill = {
  name: 'append-to-note',
  examples: ['List my notes, then add “call the printer” to the first one'],
  understand: (request) => {
    const text = withoutManners(request.text).replace(LIST_THEN_APPEND, '')
    const found = APPEND.exec(text)
    if (!found?.[1] || !found[2]) return undefined
    const addition = valueOf(request, found[1])
    const place = namesIn(partOf(request, found[2]), found[2])[0] ?? ''
    return inStages([
      callAll([LOOK]),
      (steps) => {
        const titles = listedTitles(steps)
        const title = pickTitle(titles, place)
        if (title === undefined) return noSuchNote(place, titles)
        return {
          text: `I found “${title}”; I will read it before I change it.`,
          calls: [{ toolName: 'read_note', input: { title } }],
        }
      },
      (steps) => {
        const note = outputsOf(steps.at(-1))[0]
        const title = textAt(note, 'title') ?? ''
        const content = textAt(note, 'content') ?? ''
        const separator = content === '' ? '' : '\n'
        return {
          text: `I will add “${addition}” to “${title}”.`,
          calls: [
            {
              toolName: 'write_note',
              input: { title, content: `${content}${separator}${addition}` },
            },
          ],
        }
      },
    ])
  },
}

/** Reads every note in one step and speaks of them. */
export const summariseNotes: Skill = {
  name: 'summarise-notes',
  examples: ['Summarise my notes'],
  understand: (request) => {
    if (!/^(?:summari[sz]e|sum up|digest)\b.*\bnotes\b/isu.test(withoutManners(request.text))) {
      return undefined
    }
    return inStages([
      callAll([LOOK]),
      (steps) => {
        const titles = listedTitles(steps)
        if (titles.length === 0) return { text: 'There are no notes to summarise.' }
        return {
          text: `There are ${titles.length} notes; I will read all of them at once.`,
          calls: titles.map((title) => ({ toolName: 'read_note', input: { title } })),
        }
      },
      (steps) => ({ text: summary(listedNotes(steps.slice(0, 1)), steps.at(-1)?.calls ?? []) }),
    ])
  },
}

/** Looks first, then archives what is done and deletes what is empty. */
export const cleanUpNotes: Skill = {
  name: 'clean-up-notes',
  examples: ['Clean up my notes'],
  understand: (request) => {
    const text = withoutManners(request.text)
    if (!/^(?:clean(?:[\s-]*up)?|tidy(?:[\s-]*up)?)\b[^:]*$/isu.test(text)) return undefined
    return inStages([
      callAll([LOOK]),
      (steps) => {
        const calls = listedNotes(steps).flatMap((note): ToolRequest[] => {
          const title = textAt(note, 'title')
          if (title === undefined || isTrueAt(note, 'archived')) return []
          if (numberAt(note, 'words') === 0) return [{ toolName: 'delete_note', input: { title } }]
          return isTrueAt(note, 'done') ? [{ toolName: 'archive_note', input: { title } }] : []
        })
        if (calls.length === 0) return { text: 'Nothing is done and nothing is empty: all tidy.' }
        return callAll(calls)(steps)
      },
    ])
  },
}

const EACH =
  /^(?<verb>archive|delete|remove|erase|read|open)\s+(?:all|every|each)\b.*\bnotes?\b(?!.*\bbackup)/isu
const EACH_TOOL: ReadonlyMap<string, string> = new Map([
  ['archive', 'archive_note'],
  ['delete', 'delete_note'],
  ['remove', 'delete_note'],
  ['erase', 'delete_note'],
  ['read', 'read_note'],
  ['open', 'read_note'],
])

/** One call per note, all in one step. */
export const everyNote: Skill = {
  name: 'every-note',
  examples: ['Archive all my notes'],
  understand: (request) => {
    const verb = EACH.exec(withoutManners(request.text))?.groups?.['verb']
    const toolName = EACH_TOOL.get(verb?.toLowerCase() ?? '')
    if (toolName === undefined) return undefined
    return inStages([
      callAll([LOOK]),
      (steps) => {
        const titles = listedTitles(steps)
        if (titles.length === 0) return { text: 'There are no notes.' }
        return callAll(titles.map((title) => ({ toolName, input: { title } })))(steps)
      },
    ])
  },
}

/** A browser-run tool, then a server-run one that is given its result. */
export const reportNotes: Skill = {
  name: 'report-notes',
  examples: ['Send a report of my notes to team@example.org'],
  understand: (request) => {
    const text = withoutManners(request.text)
    const found =
      /^(?:send|email|mail)\b.*\breport\b.*\bnotes\b(?:.*?\bto\s+(?<to>\S+@[\w.-]*\w|\S+))?/isu.exec(
        text,
      )
    if (!found) return undefined
    const to = valueOf(request, found.groups?.['to'] ?? 'team@example.org')
    return inStages([
      callAll([LOOK]),
      (steps) => {
        const titles = listedTitles(steps)
        const body = titles.length === 0 ? 'There are no notes.' : `Notes: ${joined(titles)}.`
        return callAll([
          { toolName: 'send_report', input: { to, subject: 'The state of the notes', body } },
        ])(steps)
      },
    ])
  },
}

function outputsOf(step: SettledStep | undefined): unknown[] {
  return (step?.calls ?? []).flatMap(({ outcome }) =>
    outcome.kind === 'output' ? [outcome.value] : [],
  )
}

function listedNotes(steps: readonly SettledStep[]): readonly unknown[] {
  return listAt(outputsOf(steps.at(-1))[0], 'notes') ?? []
}

function listedTitles(steps: readonly SettledStep[]): string[] {
  return noteTitles(outputsOf(steps.at(-1))[0]) ?? []
}

function pickTitle(titles: readonly string[], place: string): string | undefined {
  const wanted = place.toLowerCase()
  if (/^(?:first|top)(?: (?:one|note|of them))?$/u.test(wanted)) return titles[0]
  if (/^(?:last|bottom)(?: (?:one|note|of them))?$/u.test(wanted)) return titles.at(-1)
  return (
    titles.find((title) => title.toLowerCase() === wanted) ??
    titles.find((title) => wanted !== '' && title.toLowerCase().includes(wanted))
  )
}

function noSuchNote(place: string, titles: readonly string[]): Reply {
  return {
    text: `I find no note “${place}”. ${titles.length === 0 ? 'There are none.' : `There are ${quotedList(titles)}.`}`,
  }
}

function summary(listed: readonly unknown[], calls: readonly SettledCall[]): string {
  const words = new Map(listed.map((note) => [textAt(note, 'title'), numberAt(note, 'words')]))
  const lines = calls.map(({ input, outcome }) => {
    const output = outcome.kind === 'output' ? outcome.value : undefined
    const firstLine = textAt(output, 'content')?.split('\n', 1)[0]
    const title = textAt(output, 'title') ?? textAt(input, 'title')
    return `| ${cell(title ?? '?')} | ${words.get(title) ?? '?'} | ${cell(firstLine ?? '') || '*(empty)*'} |`
  })
  return ['| note | words | begins with |', '|---|---:|---|', ...lines].join('\n')
}

function cell(text: string): string {
  return text.replaceAll('|', String.raw`\|`)
}
