import type { EngineError } from '@assent/engine'
import { shallowRef } from 'vue'
import type { ErrorWords } from '../locale/error-words.ts'
import type { AssentLocale } from '../locale/locale.ts'
import type { errorDetails, errorInWords } from './error-in-words.ts'

interface Kit {
  readonly errorInWords: typeof errorInWords
  readonly errorDetails: typeof errorDetails
}

/** What says errors in words, once {@link loadErrorWords} is done. */
export const errorKit = shallowRef<Kit>()
let loading: Promise<void> | undefined

/** Loads the sentences about errors: early, as what fails next may be the connection. Never rejects. */
export function loadErrorWords(): Promise<void> {
  loading ??= import('./error-in-words.ts').then(
    (loaded) => void (errorKit.value = loaded),
    () => void (loading = undefined),
  )
  return loading
}

/**
 * What went wrong, for people, in the language of the page. Empty until {@link loadErrorWords} is done: whoever shows it
 * is rendered again then.
 *
 * @param otherwise what an error is about that has no words of its own
 */
export function wordsOfError(
  error: EngineError,
  locale: AssentLocale,
  otherwise?: keyof ErrorWords,
): string {
  if (!errorKit.value) void loadErrorWords()
  return errorKit.value?.errorInWords(error, locale, otherwise) ?? ''
}
