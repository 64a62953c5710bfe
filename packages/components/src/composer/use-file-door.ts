import { defineAsyncComponent, onBeforeUnmount, onMounted, ref, shallowRef, type Ref } from 'vue'

const load = () => import('./attachments/AttachmentTray.vue')
/** Code of its own: most messages have no files. */
export const AttachmentTray = defineAsyncComponent(load)

/** Where files come in: pasted, dropped or chosen. */
export interface FileDoor {
  /** The files that came last. */
  readonly incoming: Readonly<Ref<readonly File[]>>
  /** Whether files were there before. */
  readonly isOpen: Readonly<Ref<boolean>>
  /** Whether files are held over it. */
  readonly isDropping: Readonly<Ref<boolean>>
  /** What shows the files could not be loaded: they were not taken. */
  readonly isNotLoaded: Readonly<Ref<boolean>>
  /** Loads what shows the files beforehand. */
  preload(): void
  add(files: readonly File[]): Promise<void>
  onPaste(event: ClipboardEvent): void
}

/**
 * Takes files that are pasted into an element, or dropped on it or on the chat around it: beside it, a
 * browser would leave the page for the file.
 */
export function useFileDoor(
  element: Readonly<Ref<HTMLElement | null>>,
  isOpenTo: () => boolean,
): FileDoor {
  const incoming = shallowRef<readonly File[]>([])
  const isOpen = ref(false)
  const isDropping = ref(false)
  const isNotLoaded = ref(false)
  let depth = 0

  function preload(): void {
    load().catch(() => {})
  }

  async function add(files: readonly File[]): Promise<void> {
    if (files.length === 0 || !isOpenTo()) return
    try {
      await load()
      isNotLoaded.value = false
      isOpen.value = true
      incoming.value = files
    } catch {
      isNotLoaded.value = true
    }
  }

  function onDrag(event: DragEvent): void {
    const { type, dataTransfer } = event
    if (!dataTransfer?.types.includes('Files') || !isOpenTo()) return
    event.preventDefault()
    // Entering a child comes before leaving its parent.
    if (type === 'dragenter') depth += 1
    else if (type === 'dragleave') depth -= 1
    else if (type === 'drop') depth = 0
    isDropping.value = depth > 0
    if (type === 'dragenter') preload()
    if (type === 'dragover') dataTransfer.dropEffect = 'copy'
    if (type === 'drop') void add([...dataTransfer.files])
  }

  const DRAGS = ['dragenter', 'dragover', 'dragleave', 'drop'] as const
  let zone: HTMLElement | undefined
  onMounted(() => {
    zone = element.value?.closest<HTMLElement>('.as-chat') ?? element.value ?? undefined
    for (const type of DRAGS) zone?.addEventListener(type, onDrag)
  })
  onBeforeUnmount(() => {
    for (const type of DRAGS) zone?.removeEventListener(type, onDrag)
  })

  return {
    incoming,
    isOpen,
    isDropping,
    isNotLoaded,
    preload,
    add,
    onPaste(event) {
      const files = [...(event.clipboardData?.files ?? [])]
      // A cell or a paragraph comes as a picture, too: then the words are meant.
      if (files.length === 0 || event.clipboardData?.types.includes('text/plain')) return
      if (!isOpenTo()) return
      event.preventDefault()
      void add(files)
    },
  }
}
