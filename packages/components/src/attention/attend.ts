import type { UseMessageReturn } from '@assent/vue'
import { useDocumentVisibility, useTitle, useWebNotification } from '@vueuse/core'
import { computed, effectScope, ref, shallowReactive, watch } from 'vue'
import type { ComputedRef, EffectScope, Ref } from 'vue'
import { useApprovalsOf } from '../approvals/use-waiting.ts'
import type { ApprovalWords } from '../locale/approval-words.ts'
import { humanise } from '../tool-call/describe-call.ts'
import type { AttentionWishes } from './attention-options.ts'
import { createFaviconDot } from './favicon-dot.ts'

/** A conversation that may draw a person back. */
export interface AttentionSource {
  chat(): UseMessageReturn | undefined
  wishes(): AttentionWishes
  words(): ApprovalWords
}

/** A source, as the page sees it. */
interface Caller {
  readonly source: AttentionSource
  /** Which conversation: two views of one count once. */
  readonly id: ComputedRef<string | undefined>
  /** What waits, in sentences. */
  readonly waiting: ComputedRef<readonly string[]>
  /** A turn has ended that nobody has seen. */
  readonly hasEnded: Ref<boolean>
}

/** What all conversations of the page share. */
interface Page {
  readonly callers: Set<Caller>
  readonly scope: EffectScope
}

let page: Page | undefined

/** Counts a conversation in, until the function that it returns is called. */
export function attend(source: AttentionSource): () => void {
  const current = (page ??= createPage())
  const scope = effectScope(true)
  const caller = scope.run(() => createCaller(source))
  if (caller) current.callers.add(caller)
  return () => {
    scope.stop()
    if (!caller) return
    current.callers.delete(caller)
    if (current.callers.size > 0) return
    current.scope.stop()
    page = undefined
  }
}

function createCaller(source: AttentionSource): Caller {
  const approvals = useApprovalsOf(() => source.chat())
  const hasEnded = ref(false)
  const visibility = useDocumentVisibility()
  watch(
    () => source.chat()?.requestState.value,
    (state, former) => {
      const ended = state === 'completed' || state === 'error'
      hasEnded.value = ended && former === 'processing' && visibility.value === 'hidden'
    },
  )
  watch(visibility, () => (hasEnded.value = false))
  return {
    source,
    id: computed(() => source.chat()?.id.value),
    waiting: computed(() =>
      (approvals.value?.waiting.value ?? []).map(
        ({ summary, toolName }) => summary ?? humanise(toolName),
      ),
    ),
    hasEnded,
  }
}

function createPage(): Page {
  const callers = shallowReactive(new Set<Caller>())
  const scope = effectScope(true)
  scope.run(() => {
    const visibility = useDocumentVisibility()
    const isHidden = computed(() => visibility.value === 'hidden')

    /** What calls for the person by one means; one caller for each conversation. */
    function calling(means: keyof AttentionWishes): readonly Caller[] {
      const known = new Map<string | undefined, Caller>()
      for (const caller of callers) {
        if (caller.source.wishes()[means] && !known.has(caller.id.value)) {
          known.set(caller.id.value, caller)
        }
      }
      return isHidden.value ? [...known.values()] : []
    }

    showInTitle(() => calling('title'))
    showInFavicon(() => calling('favicon').some((caller) => isCalling(caller)))
    showInNotification(() => calling('notification'))
  })
  return { callers, scope }
}

function hasEndedUnseen({ source, hasEnded }: Caller): boolean {
  return source.wishes().turnEnd && hasEnded.value
}

function isCalling(caller: Caller): boolean {
  return caller.waiting.value.length > 0 || hasEndedUnseen(caller)
}

function countOf(callers: readonly Caller[]): number {
  return callers.reduce((count, { waiting }) => count + waiting.value.length, 0)
}

function showInTitle(calling: () => readonly Caller[]): void {
  const own = ref(document.title)
  const shown = computed(() => {
    const callers = calling()
    const words = callers[0]?.source.words().attention
    if (!words) return own.value
    const count = countOf(callers)
    if (count > 0) return words.title(count, own.value)
    return callers.some(hasEndedUnseen) ? words.ended(own.value) : own.value
  })
  const title = useTitle(null, { observe: true, restoreOnUnmount: () => own.value })
  // Else than by us: the app has given the page another title meanwhile.
  watch(title, (now) => {
    if (now !== shown.value) own.value = now ?? ''
  })
  watch(shown, (now) => (title.value = now), { immediate: true })
}

function showInFavicon(isCalled: () => boolean): void {
  const dot = createFaviconDot()
  watch(isCalled, (called) => (called ? dot.show() : dot.hide()), {
    immediate: true,
    flush: 'sync',
  })
}

function showInNotification(calling: () => readonly Caller[]): void {
  const scope = effectScope()
  let notification: ReturnType<typeof useWebNotification> | undefined

  async function show(title: string, body: string): Promise<void> {
    if (!('Notification' in window) || Notification.permission !== 'granted') return
    // Not before: it would try whether notifications work by sending one.
    notification ??= scope.run(() => {
      const made = useWebNotification({ requestPermissions: false })
      made.onClick(() => window.focus())
      return made
    })
    // Where pages may not send them by themselves, as on phones, there is none.
    await notification?.show({ title, body, tag: 'assent' }).catch(() => undefined)
  }

  watch(
    () => {
      const callers = calling()
      return {
        waiting: callers.flatMap(({ waiting }) => waiting.value),
        hasEnded: callers.some(hasEndedUnseen),
        words: callers[0]?.source.words(),
      }
    },
    ({ waiting, hasEnded, words }, before) => {
      if (!words || (waiting.length === 0 && !hasEnded)) return notification?.close()
      // What was decided elsewhere is no news.
      if (waiting.length > (before?.waiting.length ?? 0)) {
        void show(words.tray.waiting(waiting.length), waiting.join('\n'))
      } else if (hasEnded && !before?.hasEnded) void show(words.attention.turnEnded, '')
    },
    { immediate: true },
  )
}
