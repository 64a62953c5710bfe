import type { FileUIPart, JSONValue } from 'ai'
import { computed, ref, watch, type Ref } from 'vue'
import { useChat } from '../context/chat-context.ts'
import { useDraft } from '../context/use-draft.ts'

/** What is written, kept per conversation. */
export interface ComposerDraft {
  /** Whether what stands in the field came back, and was not touched since. */
  readonly isRestored: Readonly<Ref<boolean>>
  /** Empties the field. */
  discard(): void
}

/**
 * Keeps text and files of the field in the engine above: they come back after a reload, with their
 * conversation, and in other tabs. A file that carries its data is not kept: it is too large for that.
 */
export function useComposerDraft(
  key: () => string | undefined,
  text: Ref<string>,
  files: Ref<readonly FileUIPart[]>,
): ComposerDraft {
  const { draft, keep } = useDraft(key)
  const chat = useChat()
  const isRestored = ref(false)
  const kept = computed(() => read(draft.value))
  const content = computed(() => write(text.value, files.value))

  function isShown(): boolean {
    return (
      JSON.stringify(content.value) === JSON.stringify(write(kept.value.text, kept.value.files))
    )
  }

  function restore(): void {
    if (isShown()) return
    const carried = files.value.filter(isCarried)
    text.value = kept.value.text
    files.value = [...kept.value.files, ...carried]
    // Not what stands in the field: a parent that holds the text gives it back later.
    isRestored.value = write(kept.value.text, kept.value.files) !== undefined
  }

  // They are of the conversation that is left, and nobody has kept them.
  watch(
    () => chat.value?.engine?.value,
    () => (files.value = files.value.filter((file) => !isCarried(file))),
    { flush: 'sync' },
  )
  // What the app has put into the field is newer.
  if (content.value === undefined) restore()
  watch(() => JSON.stringify(draft.value), restore)
  watch([text, files], () => {
    if (isShown()) return
    isRestored.value = false
    keep(content.value)
  })

  return {
    isRestored,
    discard() {
      text.value = ''
      files.value = []
      isRestored.value = false
    },
  }
}

function isCarried({ url }: FileUIPart): boolean {
  return url.startsWith('data:')
}

function write(text: string, files: readonly FileUIPart[]): JSONValue | undefined {
  const elsewhere = files.filter((file) => !isCarried(file))
  if (text === '' && elsewhere.length === 0) return undefined
  const kept = elsewhere.map(({ mediaType, filename, url }) => ({
    mediaType,
    url,
    ...(filename !== undefined && { filename }),
  }))
  return { text, ...(kept.length > 0 && { files: kept }) }
}

/** What was kept, perhaps by another version of the app. */
function read(draft: JSONValue | undefined): { text: string; files: FileUIPart[] } {
  const { text, files } = asRecord(draft)
  const list = Array.isArray(files) ? files : []
  return {
    text: typeof text === 'string' ? text : '',
    files: list.flatMap((file) => {
      const { mediaType, url, filename } = asRecord(file)
      if (typeof mediaType !== 'string' || typeof url !== 'string') return []
      const named = typeof filename === 'string' ? { filename } : {}
      return { type: 'file' as const, mediaType, url, ...named }
    }),
  }
}

function asRecord(value: unknown): Record<string, unknown> {
  return typeof value === 'object' && value !== null ? { ...value } : {}
}
