import type { DraftSubject, ToolCallPart } from '@assent/engine'
import type { JSONValue } from 'ai'
import { computed, onBeforeUnmount, onMounted, shallowRef, watch, type ComputedRef } from 'vue'
import { useChat } from './chat-context.ts'

/** A draft that is kept: what was begun here, after a reload or in another tab. */
export interface KeptDraft {
  /** What was kept under the key; `undefined` for none, or without an engine above. */
  readonly draft: ComputedRef<JSONValue | undefined>
  /**
   * Keeps it a moment after the last change, at once when the page is hidden or the component goes;
   * `undefined` drops it at once. One that is too long for the engine is not kept.
   *
   * @param atOnce others are to know it now
   */
  keep(draft: JSONValue | undefined, atOnce?: boolean): void
}

/** After the last change, and at most as long while changes go on. */
const SOON_MS = 300
const LATEST_MS = 2_000

/** A change that is not kept yet, and where it is to be. */
interface Pending {
  readonly since: number
  readonly set: (draft: JSONValue | undefined) => void
  readonly draft: JSONValue | undefined
}

/**
 * Keeps what a person has begun in the engine of the conversation above, under a key. When the key or
 * the conversation changes, what was begun is kept where it began.
 *
 * @param key none keeps nothing; of one that `callDraftKey` made, the draft goes with the call
 */
export function useDraft(key: () => string | undefined): KeptDraft {
  const chat = useChat()
  const engine = () => chat.value?.engine?.value
  /** As JSON: what comes from another tab is the same in other objects. */
  const kept = computed(() => {
    const name = key()
    const published = chat.value?.drafts?.value
    // Who comes back before the next publication finds what was kept a moment ago.
    const drafts = engine()?.getState().drafts ?? published
    return JSON.stringify(drafts?.find((draft) => draft.key === name)?.value)
  })
  /** What was begun here, until it has come back: what comes before that is older. */
  const own = shallowRef<{ readonly text: string | undefined }>()
  const underWay = new Set<string | undefined>()
  let pending: Pending | undefined
  let timer: ReturnType<typeof setTimeout> | undefined

  function flush(): void {
    clearTimeout(timer)
    const due = pending
    pending = undefined
    if (!due) return
    underWay.add(JSON.stringify(due.draft))
    try {
      due.set(due.draft)
    } catch {
      // It is too long, and stays what the person sees.
    }
  }

  function forget(): void {
    own.value = undefined
    underWay.clear()
  }

  watch(
    [key, engine],
    () => {
      flush()
      forget()
    },
    { flush: 'sync' },
  )
  watch(
    kept,
    (text) => {
      if (pending) return
      // An earlier one of this tab, which has come back late.
      if (text !== own.value?.text && underWay.has(text)) return
      forget()
    },
    { flush: 'sync' },
  )

  const watching = new AbortController()
  onMounted(() => {
    const { signal } = watching
    const onHide = () => document.visibilityState === 'hidden' && flush()
    document.addEventListener('visibilitychange', onHide, { signal })
    window.addEventListener('pagehide', flush, { signal })
  })
  onBeforeUnmount(() => {
    watching.abort()
    flush()
  })

  return {
    draft: computed(() => {
      const { text } = own.value ?? { text: kept.value }
      return text === undefined ? undefined : JSON.parse(text)
    }),
    keep(draft, atOnce = draft === undefined) {
      const name = key()
      // The engine of now: another conversation may be shown when it is time.
      const target = engine() ?? chat.value
      const setDraft = target?.setDraft
      if (name === undefined || !setDraft) return
      const since = pending?.since ?? Date.now()
      pending = { since, draft, set: (value) => setDraft(name, value, subjectOf(name)) }
      own.value = { text: JSON.stringify(draft) }
      clearTimeout(timer)
      if (atOnce) return flush()
      timer = setTimeout(flush, Math.min(SOON_MS, since + LATEST_MS - Date.now()))
    },
  }
}

/**
 * What a draft about a call is kept under: `<this>/deny`, `<this>/input` … per form. None where the
 * message is not known.
 */
export function callDraftKey(
  messageId: string | undefined,
  part: ToolCallPart,
): string | undefined {
  if (messageId === undefined) return undefined
  const approvalId = part.approval?.id ?? ''
  return ['call', ...[messageId, part.toolCallId, approvalId].map(escaped)].join('/')
}

/** Where the form of a card that is open is noted, in every tab. */
export function openFormKey(callKey: string | undefined): string | undefined {
  return callKey === undefined ? undefined : `${callKey}/open`
}

/** The call that a key is about, if it is about one. */
function subjectOf(key: string): DraftSubject | undefined {
  const [kind, messageId, toolCallId] = key.split('/')
  if (kind !== 'call' || messageId === undefined || toolCallId === undefined) return undefined
  return { messageId: unescaped(messageId), toolCallId: unescaped(toolCallId) }
}

/** Ids are any texts, also such as `encodeURIComponent` refuses. */
function escaped(id: string): string {
  return id.replaceAll('~', '~0').replaceAll('/', '~1')
}

function unescaped(id: string): string {
  return id.replaceAll('~1', '/').replaceAll('~0', '~')
}
