import {
  defineAsyncComponent,
  effectScope,
  shallowRef,
  watch,
  type Component,
  type ShallowRef,
} from 'vue'
import { loadContent } from './load-content.ts'
import type { MarkdownRendererProps } from './markdown-plugin.ts'

type Content = Component<MarkdownRendererProps>

const loaded = shallowRef<Content>()
let loading: Promise<void> | undefined

/** What makes elements of Markdown, once it is loaded. Until then text is shown as it was written. */
export const markdownContent: Readonly<ShallowRef<Content | undefined>> = loaded

/** Loads {@link markdownContent}; never rejects. A failure is tried again with the next text. */
export function loadMarkdown(): Promise<void> {
  loading ??= loadContent().then(
    (content) => {
      loaded.value = content
    },
    () => {
      loading = undefined
    },
  )
  return loading
}

/** Elements that a server made: they stay as they are until the code is there that takes them over. */
export const TakenOver: Content = /* @__PURE__ */ defineAsyncComponent({
  loader: whenLoaded,
  suspensible: false,
})

/** Waits for an attempt that succeeds, whoever makes it: until then the elements can be read. */
function whenLoaded(): Promise<Content> {
  return new Promise((resolve) => {
    // Apart from the text that asks first: it may be gone by then.
    effectScope(true).run(() =>
      watch(loaded, (content) => content && resolve(content), { immediate: true, flush: 'sync' }),
    )
  })
}
