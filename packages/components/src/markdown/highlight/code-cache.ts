import type { CodePiece } from '../markdown-plugin.ts'

type Lines = readonly (readonly CodePiece[])[]

/** Coloured code by language and text; what was not used for longest goes first. */
export interface CodeCache {
  get(language: string, code: string): Lines | undefined
  set(language: string, code: string, lines: Lines): void
}

/** @param size how many entries are kept */
export function createCodeCache(size: number): CodeCache {
  // A Map keeps the order in which entries were set.
  const entries = new Map<string, Lines>()
  const keyOf = (language: string, code: string): string => `${language}\n${code}`
  return {
    get(language, code) {
      const key = keyOf(language, code)
      const lines = entries.get(key)
      if (!lines) return undefined
      entries.delete(key)
      entries.set(key, lines)
      return lines
    },
    set(language, code, lines) {
      entries.set(keyOf(language, code), lines)
      for (const oldest of entries.keys()) {
        if (entries.size <= size) return
        entries.delete(oldest)
      }
    },
  }
}
