import { computed, shallowRef, watch, type ComputedRef } from 'vue'
import { useConfig } from '../config/config.ts'
import { markdownKit } from './markdown-kit.ts'
import type { CodePiece } from './markdown-plugin.ts'

type Lines = readonly (readonly CodePiece[])[]

/**
 * The colours of a code: at once where they are known, else a moment after the code is whole. While it
 * grows there are none: to find them anew for each token would cost more than all the rest.
 */
export function useHighlight(
  source: () => Readonly<{ code: string; language: string; isClosed?: boolean }>,
): ComputedRef<Lines | undefined> {
  const config = useConfig()
  const made = shallowRef<{ code: string; lines: Lines | undefined }>()
  const known = computed(() => {
    const { code, language, isClosed } = source()
    const { highlighter } = markdownKit(config.value.markdown?.plugins)
    if (!highlighter || !isClosed || language === '') return undefined
    return { code, language, highlighter, lines: highlighter.find(code, language) }
  })
  watch(
    known,
    async (wanted) => {
      if (!wanted || wanted.lines || typeof window === 'undefined') return
      const { code, language, highlighter } = wanted
      // Code without colours is code as well.
      const lines = await highlighter.highlight(code, language).catch(() => undefined)
      made.value = { code, lines }
    },
    { immediate: true },
  )
  return computed(
    () =>
      known.value?.lines ??
      (made.value?.code === known.value?.code ? made.value?.lines : undefined),
  )
}
