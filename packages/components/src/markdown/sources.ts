import type { SourceDocumentUIPart, SourceUrlUIPart } from 'ai'
import type { InjectionKey } from 'vue'
import { safeLink } from './url-policy.ts'

/** What an answer is based on. */
export type SourcePart = SourceUrlUIPart | SourceDocumentUIPart

/** What the text is based on; another array only when that changed. */
export const sourcesKey: InjectionKey<Readonly<{ value: readonly SourcePart[] }>> =
  Symbol('assent sources')

/** Where a source can be looked at, when that is a safe place. */
export function sourceLink(source: SourcePart): URL | undefined {
  return source.type === 'source-url' ? safeLink(source.url) : undefined
}

/** What a source is called. */
export function sourceName(source: SourcePart): string {
  return source.title || sourceLink(source)?.host || source.sourceId
}
