import type { CommandResult, EngineError } from '@assent/engine'
import type { ExportedConversation } from '@assent/engine/storage'
import { computed, shallowRef, type ComputedRef } from 'vue'
import { wordsOfError } from '../chat/error-words.ts'
import type { AssentLocale } from '../locale/locale.ts'
import type { AsConversationListEmits, AsConversationListProps } from './conversation-list-types.ts'
import { nameOf } from './conversation-words.ts'

type Listings = NonNullable<AsConversationListProps['conversations']>

/** The conversations, and what is done with them: here, or by who listens. */
export interface ConversationModel {
  readonly conversations: ComputedRef<Listings>
  readonly activeId: ComputedRef<string | undefined>
  readonly found: ComputedRef<Listings | undefined>
  readonly isLoaded: ComputedRef<boolean>
  /** Whether there are more than these that can be had now. */
  readonly hasMore: ComputedRef<boolean>
  readonly isNew: ComputedRef<boolean>
  /** What is wrong, in words. */
  readonly trouble: ComputedRef<string | undefined>
  open(id: string): void
  create(): void
  rename(id: string, title: string): Promise<void>
  remove(id: string): Promise<void>
  save(id: string): Promise<void>
  take(file: File): Promise<void>
  loadMore(): void
  search(text: string): void
}

/** Tells of what is done, or to be done. */
export type ConversationEvents = {
  readonly [NAME in keyof AsConversationListEmits]: (...args: AsConversationListEmits[NAME]) => void
}

/** Does what is to be done with the `source` of the props, if there is one, and tells of it. */
export function useConversationSource(
  props: AsConversationListProps,
  tellOf: ConversationEvents,
  locale: () => AssentLocale,
): ConversationModel {
  /** What went wrong last. */
  const failure = shallowRef<EngineError>()
  /** What is searched for, in titles, where nobody else does. */
  const words = shallowRef('')

  const conversations = computed(
    () => props.source?.conversations.value ?? props.conversations ?? [],
  )
  const found = computed(() => {
    const given = props.source ? props.source.found.value : props.found
    if (given || props.source || words.value === '') return given
    const wanted = words.value.toLocaleLowerCase(locale().code)
    return conversations.value.filter((one) =>
      nameOf(locale(), one).toLocaleLowerCase(locale().code).includes(wanted),
    )
  })

  /** Takes what went wrong away with the next thing that does not. */
  function tell(result: CommandResult<unknown>): boolean {
    failure.value = result.success ? undefined : result.error
    return result.success
  }

  return {
    conversations,
    found,
    activeId: computed(() => props.source?.active.value ?? props.activeId),
    isLoaded: computed(() => props.source?.isLoaded.value ?? props.isLoaded ?? true),
    // It would be tried again and again while the store fails.
    hasMore: computed(
      () => !!props.source?.hasMore.value && !props.source.error.value && !found.value,
    ),
    isNew: computed(() =>
      props.source ? props.source.chat.messageIds.value.length === 0 : props.isNew === true,
    ),
    trouble: computed(() => {
      const error = failure.value ?? props.source?.error.value
      return error ? wordsOfError(error, locale(), 'file') : props.error
    }),
    open(id) {
      void props.source?.open(id).then(tell)
      tellOf.open(id)
    },
    create() {
      props.source?.create()
      tellOf.create()
    },
    async rename(id, title) {
      if (props.source && !tell(await props.source.rename(id, title))) return
      tellOf.rename(id, title)
    },
    async remove(id) {
      if (props.source && !tell(await props.source.remove(id))) return
      tellOf.delete(id)
    },
    async save(id) {
      if (props.source) {
        const result = await props.source.exportConversation(id)
        if (!tell(result) || !result.success) return
        download(result.result, nameOf(locale(), result.result))
      }
      tellOf.export(id)
    },
    async take(file) {
      const text = await file.text()
      if (props.source) {
        const result = await props.source.importConversation(text)
        if (!tell(result) || !result.success) return
        tellOf.import(text, file)
        void props.source.open(result.result).then(tell)
        tellOf.open(result.result)
      } else tellOf.import(text, file)
    },
    loadMore: () => void props.source?.loadMore(),
    search(text) {
      words.value = text.trim()
      void props.source?.search(text)
      tellOf.search(text)
    },
  }
}

/** Gives a conversation to the person as a file. */
function download(conversation: ExportedConversation, name: string): void {
  const content = JSON.stringify(conversation, undefined, 2)
  const link = document.createElement('a')
  link.href = URL.createObjectURL(new Blob([content], { type: 'application/json' }))
  link.download = `${name.replaceAll(/[^\p{L}\p{N}]+/gu, '-')}.json`
  link.click()
  URL.revokeObjectURL(link.href)
}
