import { h, type VNode } from 'vue'
import type { AssentLocale } from '../locale/locale.ts'
import { sourceLink, sourceName, type SourcePart } from './sources.ts'

const NUMBER = /\[(\d{1,3})\]|【(\d{1,3})(?:†[^】]{0,40})?】/g

/** Text with the numbers of sources made into chips that say where they lead. */
export function withCitations(
  text: string,
  sources: readonly SourcePart[],
  locale: AssentLocale,
): string | (string | VNode)[] {
  const pieces: (string | VNode)[] = []
  let seen = 0
  for (const match of text.matchAll(NUMBER)) {
    const number = Number(match[1] ?? match[2])
    const source = sources[number - 1]
    if (!source) continue
    pieces.push(text.slice(seen, match.index), citation(source, number, locale))
    seen = match.index + match[0].length
  }
  return seen === 0 ? text : [...pieces, text.slice(seen)]
}

/** A link that says no more than a number, when it leads to a source: that source's number. */
export function citedByLink(url: URL, text: string, sources: readonly SourcePart[]): number {
  if (!/^\[?\d{1,3}\]?$/.test(text)) return 0
  return sources.findIndex((source) => sourceLink(source)?.href === url.href) + 1
}

/** A chip that names a source: its host, else its title. */
export function citation(source: SourcePart, number: number, locale: AssentLocale): VNode {
  const url = sourceLink(source)
  const name = sourceName(source)
  const words = url?.host.replace(/^www\./, '') ?? name
  // Its name holds what is seen of it, for those who say what they see.
  const spoken = name.includes(words) ? name : `${name} · ${words}`
  const attributes = {
    class: 'as-cite',
    'data-slot': 'citation',
    'aria-label': locale.content.citation(number, spoken),
    title: url ? `${name}\n${url.href}` : name,
  }
  if (!url) return h('span', { ...attributes, role: 'note' }, words)
  const link = { href: url.href, target: '_blank', rel: 'noopener noreferrer nofollow ugc' }
  return h('a', { ...attributes, ...link }, words)
}
