import type { UseMessageReturn } from '@assent/vue'
import { computed, inject, onMounted, onScopeDispose, provide, ref, toValue, watch } from 'vue'
import type { ComputedRef, InjectionKey, MaybeRefOrGetter } from 'vue'
import { useLocale } from '../config/config.ts'
import { toWishes, type AttentionOptions } from './attention-options.ts'

/** Whether the page may send notifications, and how a person allows them. */
export interface Attention {
  /** Whether they are wished for and a person was not asked yet. */
  readonly canAsk: ComputedRef<boolean>
  /**
   * Asks the person for permission; call it from a click, or browsers refuse. Resolves to whether
   * notifications will be shown.
   */
  askPermission(): Promise<boolean>
}

const attentionKey: InjectionKey<Attention> = Symbol('assent attention')

/**
 * Draws a person back to a page that they do not look at: while it is hidden and calls wait in a
 * conversation, the title of the page counts them; on wish its icon has a dot, and a notification is
 * sent. All of that ends when they are decided, or the person returns. Several conversations of one page
 * are counted together.
 *
 * Nothing is asked for by itself: `askPermission` is for the click of a person. Its code is loaded when
 * the conversation is first at work. Call it in `setup`.
 *
 * @param options `true` is the count in the title, `false` nothing at all
 */
export function useAttention(
  chat: MaybeRefOrGetter<UseMessageReturn | undefined>,
  options: MaybeRefOrGetter<boolean | AttentionOptions> = true,
): Attention {
  const locale = useLocale()
  const wishes = computed(() => toWishes(toValue(options)))
  const permission = ref<NotificationPermission>()
  let leave: (() => void) | undefined
  let isOver = false

  async function begin(): Promise<void> {
    // Without its code the page keeps still; tried again with the next turn.
    const page = await import('./attend.ts').catch(() => undefined)
    if (isOver || leave || !page) return
    leave = page.attend({
      chat: () => toValue(chat),
      wishes: () => wishes.value,
      words: () => locale.value.approvals,
    })
  }

  onMounted(() => {
    if ('Notification' in window) permission.value = Notification.permission
    watch(
      () => toValue(chat)?.requestState.value,
      (state) => {
        if (state && state !== 'idle' && Object.values(wishes.value).some(Boolean)) void begin()
      },
      { immediate: true },
    )
  })
  onScopeDispose(() => {
    isOver = true
    leave?.()
  })

  const attention: Attention = {
    canAsk: computed(() => wishes.value.notification && permission.value === 'default'),
    async askPermission() {
      if (permission.value === undefined) return false
      permission.value = await Notification.requestPermission()
      return permission.value === 'granted'
    },
  }
  provide(attentionKey, attention)
  return attention
}

/** The attention of the chat above, if it has any. */
export function useAttentionAbove(): Attention | undefined {
  return inject(attentionKey, undefined)
}
