import { onBeforeUnmount, ref, type Ref } from 'vue'

/** How long it is said that something was copied, in milliseconds. */
const SAID_MS = 2_000

/**
 * Copies a text, and says for a moment that it did. The clipboard is missing on insecure pages, and a
 * browser may refuse it: then it answers `false`.
 */
export function useCopy(): {
  readonly isCopied: Readonly<Ref<boolean>>
  copy(text: string): Promise<boolean>
} {
  const isCopied = ref(false)
  let timer: ReturnType<typeof setTimeout> | undefined

  onBeforeUnmount(() => clearTimeout(timer))
  return {
    isCopied,
    async copy(text) {
      try {
        await navigator.clipboard.writeText(text)
      } catch {
        return false
      }
      isCopied.value = true
      clearTimeout(timer)
      timer = setTimeout(() => (isCopied.value = false), SAID_MS)
      return true
    },
  }
}
