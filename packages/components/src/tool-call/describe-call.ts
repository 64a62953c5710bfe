import { assentMetadata, riskOf, toolNameOf } from '@assent/engine'
import type { ToolCallPart, ToolPreview, ToolRisk } from '@assent/engine'
import type { AssentConfig } from '../config/config.ts'
import type { AssentLocale } from '../locale/locale.ts'
import { withoutBlanks } from './blank-runs.ts'
import { blanksInWords, labelHidden } from './VisibleText.ts'

/** What a description needs of the configuration. */
export type Presentation = Pick<AssentConfig, 'locale' | 'tools'>

/** What a call is called, for people. */
export interface CallDescription {
  toolName: string
  /** What it does: a sentence, or the tool's name in words. */
  sentence: string
  /** What it does it to, where the sentence does not say. */
  target: string | undefined
  /** Both in one, for screen readers: hidden characters are labels. */
  full: string
}

/** Fields that say what a call is about, most telling first. */
const TARGETS = ['path', 'file', 'filename', 'to', 'url', 'command', 'query', 'name', 'title', 'id']
const TARGET_LENGTH = 60
const ACRONYMS = new Set(['api', 'css', 'csv', 'html', 'http', 'id', 'json', 'pdf', 'sql', 'url'])

/**
 * A call in words: the summary that came with it, else the app's label, else the part's title, else
 * the tool's name made readable, with the telling field of the input.
 */
export function describeCall(part: ToolCallPart, config: Presentation): CallDescription {
  const toolName = toolNameOf(part)
  const given = givenSentence(part, config)
  if (given) return { toolName, sentence: given, target: undefined, full: labelHidden(given) }
  const sentence = part.title || humanise(toolName)
  const target = targetOf(part.input, config.locale)
  const full = labelHidden(target ? `${sentence} ${target}` : sentence)
  return { toolName, sentence, target, full }
}

function givenSentence(part: ToolCallPart, config: Presentation): string | undefined {
  const { summary } = assentMetadata(part)
  if (summary) return summary
  const toolName = toolNameOf(part)
  const label = config.tools.get(toolName)?.label
  if (typeof label !== 'function') return label
  // A label may read fields that have not streamed yet.
  try {
    return label({ toolName, input: part.input }) || undefined
  } catch {
    return undefined
  }
}

/** The risk of a call that asks: what was declared, else `'write'`. */
export function askedRisk(part: ToolCallPart): ToolRisk {
  return riskOf(part) ?? 'write'
}

/** The word on the approve button: the app's, else a verb in the tool's name, else "Approve". */
export function approveWord(part: ToolCallPart, config: Presentation): string {
  const toolName = toolNameOf(part)
  const own = config.tools.get(toolName)?.approve
  if (own) return own
  const { approve, approveVerbs } = config.locale
  const verb = wordsOf(toolName).find((word) => Object.hasOwn(approveVerbs, word))
  return (verb && approveVerbs[verb]) || approve
}

/** What an app's own drawing of a call is registered under. */
export function rendererKey(part: ToolCallPart): string {
  const { type } = part
  return type === 'dynamic-tool' ? `${type} ${toolNameOf(part)}` : type
}

/** What must be typed before a call is approved, if anything must. */
export function confirmWord(part: ToolCallPart, config: Presentation): string | undefined {
  const toolName = toolNameOf(part)
  const { confirm } = config.tools.get(toolName) ?? {}
  if (typeof confirm !== 'function') return confirm?.trim() || undefined
  try {
    return confirm({ toolName, input: part.input })?.trim() || undefined
  } catch {
    // Not less is asked for because the word could not be found.
    return toolName
  }
}

/** The app's preview of a call; none where it throws: then the input is shown. */
export function presentedPreview(
  part: ToolCallPart,
  config: Presentation,
): ToolPreview | undefined {
  const toolName = toolNameOf(part)
  try {
    return config.tools.get(toolName)?.preview?.({ toolName, input: part.input })
  } catch {
    return undefined
  }
}

/** The reasons that can be chosen when this call is denied. */
export function denyReasonsOf(part: ToolCallPart, config: Presentation): readonly string[] {
  return config.tools.get(toolNameOf(part))?.denyReasons ?? config.locale.denyReasons
}

/** Why a call was denied, in the words of who denied it. */
export function denialReason(part: ToolCallPart): string | undefined {
  return ('approval' in part && part.approval?.reason) || undefined
}

/** Who made the decision, in a word or two; `undefined` when nothing was decided. */
export function deciderOf(part: ToolCallPart, locale: AssentLocale): string | undefined {
  const { decidedBy, overruled } = assentMetadata(part)
  if (overruled) return undefined
  switch (decidedBy) {
    case 'person':
      return locale.byYou
    case 'rule':
      return locale.byRule
    case 'policy':
      return locale.byAlways
    case undefined:
      return undefined
  }
}

/** `delete_file`, `deleteFile`, `fs.delete-file`, `fetch_url` → `Delete file`, …, `Fetch URL`. */
export function humanise(toolName: string): string {
  const words = wordsOf(toolName)
    .map((word) => (ACRONYMS.has(word) ? word.toUpperCase() : word))
    .join(' ')
  return words === '' ? toolName : words.charAt(0).toUpperCase() + words.slice(1)
}

/** The words of a tool's name, for people: `read_file` → `Read`, `file`. */
export function toolWords(toolName: string): readonly string[] {
  return humanise(toolName).split(' ')
}

function wordsOf(toolName: string): string[] {
  return toolName
    .replaceAll(/(\p{Ll}|\d)(\p{Lu})/gu, '$1 $2')
    .split(/[\s_.:/-]+/)
    .filter((word) => word !== '')
    .map((word) => word.toLowerCase())
}

function targetOf(input: unknown, locale: AssentLocale): string | undefined {
  for (const key of TARGETS) {
    const value = fieldOf(input, key)
    if (typeof value === 'string' && value !== '') return shorten(value, locale)
  }
  return undefined
}

/** What is left out is never only blanks away from what seems to be the end. */
function shorten(whole: string, locale: AssentLocale): string {
  const text = withoutBlanks(whole, (run) => `[${blanksInWords(run, locale)}]`)
  const line = text.trim().split('\n', 1)[0] ?? ''
  return line.length < text.trim().length || line.length > TARGET_LENGTH
    ? `${line.slice(0, TARGET_LENGTH).trimEnd()}…`
    : line
}

function fieldOf(value: unknown, key: string): unknown {
  if (typeof value !== 'object' || value === null || !Object.hasOwn(value, key)) return undefined
  return Object.entries(value).find(([name]) => name === key)?.[1]
}
