import type { FileUIPart } from 'ai'
import { computed, onScopeDispose, shallowRef, toRaw, watch, type ComputedRef, type Ref } from 'vue'
import type { AssentLocale } from '../../locale/locale.ts'
import { imageSource } from '../../markdown/url-policy.ts'
import { accepts } from './accepts.ts'
import type { Attachment, AttachmentLimits, UploadFile } from './attachment-types.ts'
import { formatSize } from './file-size.ts'
import { readDataUrl } from './read-data-url.ts'

/** The files beside the field: those that are ready, on their way, or failed. */
export interface Attachments {
  readonly items: Readonly<Ref<readonly Attachment[]>>
  /** Why files were not taken, in words. */
  readonly refusals: Readonly<Ref<readonly string[]>>
  /** Why nothing can be sent yet, in words. */
  readonly hindrance: ComputedRef<string | undefined>
  /** Takes files, and says of the others why not. */
  add(files: readonly File[]): void
  remove(id: number): void
  retry(id: number): void
  dismiss(): void
}

export interface AttachmentsOptions {
  /** What is ready, in order; changed from both sides. */
  files: Ref<readonly FileUIPart[]>
  limits: () => AttachmentLimits
  upload: () => UploadFile | undefined
  locale: () => AssentLocale
  announce: (text: string) => void
}

export function useAttachments(options: AttachmentsOptions): Attachments {
  const { files, limits, upload, locale, announce } = options
  const items = shallowRef<readonly Attachment[]>([])
  const refusals = shallowRef<readonly string[]>([])
  const working = new Map<number, AbortController>()
  let count = 0

  const hindrance = computed(() => {
    if (items.value.some(({ state }) => state === 'working')) return locale().attach.wait
    const isStuck = items.value.some(({ state }) => state === 'failed')
    return isStuck ? locale().attach.unfinished : undefined
  })

  // A list of a reactive parent is a proxy, and so are its parts: what they are is told by what is below.
  const plainFiles = () => toRaw(files.value).map((part) => toRaw(part))

  /** Makes the items say what is ready. */
  function publish(next: readonly Attachment[]): void {
    items.value = next
    const ready = next.flatMap(({ part }) => part ?? [])
    const before = plainFiles()
    const isSame = ready.length === before.length && ready.every((part, at) => part === before[at])
    if (!isSame) files.value = ready
  }

  function change(id: number, what: Partial<Attachment>): void {
    publish(items.value.map((item) => (item.id === id ? { ...item, ...what } : item)))
  }

  async function carry(id: number, file: File): Promise<void> {
    const controller = new AbortController()
    working.set(id, controller)
    const { signal } = controller
    const carryOut = upload() ?? ((one, { signal: end }) => readDataUrl(one, end))
    // Nobody counts on an app's upload to stop when it is told to.
    const isStill = () => working.get(id) === controller
    try {
      const part = await carryOut(file, {
        signal,
        onProgress: (progress) => void (isStill() && change(id, { progress })),
      })
      if (!isStill()) return
      change(id, { state: 'ready', part })
      announce(locale().attach.attached(file.name))
    } catch (error) {
      if (!isStill()) return
      change(id, { state: 'failed' })
      const why = error instanceof Error ? error.message : String(error)
      refuse([locale().attach.failed(file.name, why)])
    } finally {
      if (isStill()) working.delete(id)
    }
  }

  function refuse(reasons: readonly string[]): void {
    refusals.value = [...new Set([...refusals.value, ...reasons])]
  }

  function refusalOf(file: File): string | undefined {
    const { attach, code } = locale()
    const { accept, maxFileSize } = limits()
    if (!accepts(accept, file)) return attach.wrongKind(file.name, accept ?? '')
    if (file.size === 0) return attach.isEmpty(file.name)
    if (file.size > maxFileSize) return attach.tooLarge(file.name, formatSize(code, maxFileSize))
    return undefined
  }

  function add(chosen: readonly File[]): void {
    refusals.value = []
    const refused = chosen.flatMap((file) => refusalOf(file) ?? [])
    const taken = chosen.filter((file) => refusalOf(file) === undefined)
    const { maxFiles } = limits()
    const room = Math.max(maxFiles - items.value.length, 0)
    const over = taken.slice(room).map(({ name }) => name)
    const list = new Intl.ListFormat(locale().code).format(over)
    refuse(over.length > 0 ? [...refused, locale().attach.tooMany(list, maxFiles)] : refused)
    const added = taken.slice(0, room).map((file): Attachment & { file: File } => ({
      id: ++count,
      name: file.name,
      file,
      state: 'working',
      ...(file.type.startsWith('image/') && { preview: URL.createObjectURL(file) }),
    }))
    publish([...items.value, ...added])
    for (const { id, file } of added) void carry(id, file)
  }

  function forget({ id, file, preview }: Attachment): void {
    working.get(id)?.abort(new DOMException('The file was removed.', 'AbortError'))
    working.delete(id)
    if (file && preview) URL.revokeObjectURL(preview)
  }

  // Those that come from elsewhere: a draft, an app; and those that were sent.
  watch(
    plainFiles,
    (given) => {
      const known = new Map(items.value.flatMap((item) => (item.part ? [[item.part, item]] : [])))
      const pending = items.value.filter(({ part }) => !part)
      for (const [part, item] of known) if (!given.includes(part)) forget(item)
      const ready = given.map((part) => known.get(part) ?? fromPart(++count, part))
      const isSame =
        ready.length === known.size && ready.every(({ part }) => part && known.has(part))
      if (!isSame) items.value = [...ready, ...pending]
      if (given.length === 0 && pending.length === 0) refusals.value = []
    },
    { immediate: true, flush: 'sync' },
  )
  onScopeDispose(() => items.value.forEach(forget))

  return {
    items,
    refusals,
    hindrance,
    add,
    remove(id) {
      const item = items.value.find((one) => one.id === id)
      if (!item) return
      forget(item)
      refusals.value = []
      publish(items.value.filter((one) => one !== item))
      announce(locale().attach.removed(item.name))
    },
    retry(id) {
      const file = items.value.find((one) => one.id === id)?.file
      if (!file) return
      refusals.value = []
      change(id, { state: 'working', progress: 0 })
      void carry(id, file)
    },
    dismiss: () => void (refusals.value = []),
  }
}

/** A file that was not chosen here. An image of another host is not loaded: that would tell on the reader. */
function fromPart(id: number, part: FileUIPart): Attachment {
  const source = part.mediaType.startsWith('image/') ? imageSource(part.url) : undefined
  return {
    id,
    name: part.filename ?? part.mediaType,
    state: 'ready',
    part,
    ...(source?.kind === 'inline' && { preview: source.src }),
  }
}
