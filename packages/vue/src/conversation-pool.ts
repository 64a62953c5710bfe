import { createMessageEngine, type MessageEngine, type MessageEngineOptions } from '@assent/engine'
import { canShare, createSharedEngine } from '@assent/engine/shared'
import { listingOf, type ConversationStorage } from '@assent/engine/storage'
import type { UIMessage } from 'ai'
import { shallowRef, toValue, type ShallowRef } from 'vue'
import type { ConversationList } from './conversation-list.ts'
import { openConversation, type OpenConversation } from './open-conversation.ts'
import type { UseConversationsOptions } from './use-conversations-options.ts'
import { toEngineOptions } from './use-message-options.ts'

/** What a pool works with. */
export interface PoolOptions<MESSAGE extends UIMessage> {
  readonly options: UseConversationsOptions<MESSAGE>
  readonly now: () => number
  readonly list: ConversationList
  /** None on a server. */
  storage(): ConversationStorage | undefined
  owner(): string | undefined
  markUnread(id: string, count: number): void
  /** Called when a conversation is there or changed. */
  onChange(opened: OpenConversation<MESSAGE>): void
}

/** The conversations that have an engine: the active one, and those that are busy. */
export interface ConversationPool<MESSAGE extends UIMessage> {
  readonly active: Readonly<ShallowRef<OpenConversation<MESSAGE>>>
  get(id: string): OpenConversation<MESSAGE> | undefined
  all(): OpenConversation<MESSAGE>[]
  /** Makes a conversation the active one. */
  show(id: string): OpenConversation<MESSAGE>
  /** Makes the engine of the active one anew. */
  reopen(): OpenConversation<MESSAGE>
  /** Drops one that is deleted; when it was active, another one of the given id is. */
  discard(id: string, next: () => string): void
  /** Closes all, and begins anew. */
  restart(id: string): void
  dispose(): void
}

export function createConversationPool<MESSAGE extends UIMessage>(
  { options, now, list, storage, owner, markUnread, onChange }: PoolOptions<MESSAGE>,
  firstId: string,
): ConversationPool<MESSAGE> {
  const opened = new Map<string, OpenConversation<MESSAGE>>()
  const active = shallowRef(start(firstId))

  function start(
    id: string,
    beginning: Pick<MessageEngineOptions<MESSAGE>, 'messages' | 'confirmations'> = {},
  ): OpenConversation<MESSAGE> {
    const one = openConversation<MESSAGE>({
      id,
      storage: storage(),
      keep: options.keep ?? {},
      createEngine(engineStorage): MessageEngine<MESSAGE> {
        const given = options.engine(id)
        const { owner: _, ...engineOptions } = toEngineOptions(given, () => toValue(given.request))
        const ofOwner = owner()
        const made = {
          ...engineOptions,
          ...(ofOwner !== undefined && { owner: ofOwner }),
          ...beginning,
          id,
          now: given.now ?? now,
        }
        if (!engineStorage) {
          // As in `useMessage`: on a server nobody waits for a frame.
          return createMessageEngine({ ...made, storage: undefined, scheduleFrame: () => () => {} })
        }
        const { claims, sharing } = storage() ?? {}
        const isShared = (options.share ?? true) && claims === 'store' && canShare(sharing)
        const stored = { ...made, storage: engineStorage }
        return isShared
          ? createSharedEngine({ ...stored, ...sharing })
          : createMessageEngine(stored)
      },
      onChange: change,
    })
    opened.set(id, one)
    return one
  }

  function change(one: OpenConversation<MESSAGE>, isFirst: boolean): void {
    if (opened.get(one.id) !== one) return
    const known = list.get(one.id)
    const state = one.engine.getState()
    const isShown = active.value === one
    if (known || !isEmpty(one)) {
      const unreadCount = isShown ? 0 : one.unseen()
      const at = now()
      list.set(
        listingOf(one.id, state, {
          createdAt: known?.createdAt ?? at,
          updatedAt: isFirst ? (known?.updatedAt ?? at) : at,
          title: known?.isTitleGiven ? known.title : undefined,
          unreadCount,
        }),
      )
      if ((known?.unreadCount ?? 0) !== unreadCount) markUnread(one.id, unreadCount)
    }
    onChange(one)
    if (!isShown) void retire(one)
  }

  /** One that is left with no more than a draft in it can be found again, and without one it is none. */
  function listBegun(one: OpenConversation<MESSAGE>): void {
    const known = list.get(one.id)
    if (opened.get(one.id) !== one || active.value === one) return
    if (!known && !isEmpty(one)) change(one, false)
    else if (known && !known.isTitleGiven && isEmpty(one)) list.drop(one.id)
  }

  /**
   * Closes a conversation that is not shown, unless it is busy: its answer and its tools would be
   * cut off. One that is paused or over is in the store as a whole, and costs nothing there; only
   * what the store did not take lives on here.
   */
  async function retire(one: OpenConversation<MESSAGE>): Promise<void> {
    const isOver = () => opened.get(one.id) === one && active.value !== one && one.isAtRest()
    await one.engine.ready
    listBegun(one)
    if (!isOver() || !(await one.save()) || !isOver()) return
    opened.delete(one.id)
    one.close()
  }

  function show(id: string): OpenConversation<MESSAGE> {
    const former = active.value
    if (former.id === id) return former
    const next = opened.get(id) ?? start(id)
    active.value = next
    const known = list.get(id)
    if (known && known.unreadCount > 0) {
      list.set({ ...known, unreadCount: 0 })
      markUnread(id, 0)
    }
    former.look()
    void retire(former)
    return next
  }

  function closeAll(): void {
    for (const one of opened.values()) one.close()
    opened.clear()
  }

  return {
    active,
    get: (id) => opened.get(id),
    all: () => [...opened.values()],
    show,
    reopen() {
      const { id, engine, close } = active.value
      const { messages, confirmations } = engine.getState()
      close()
      active.value = start(id, { messages, confirmations })
      return active.value
    },
    discard(id, next) {
      const one = opened.get(id)
      one?.discard()
      opened.delete(id)
      if (one && active.value === one) active.value = start(next())
    },
    restart(id) {
      closeAll()
      active.value = start(id)
    },
    dispose: closeAll,
  }
}

/** Whether nothing was said in it, nor begun. */
function isEmpty<MESSAGE extends UIMessage>({ engine }: OpenConversation<MESSAGE>): boolean {
  const { messageIds, queue, drafts } = engine.getState()
  return [messageIds, queue, drafts].every(({ length }) => length === 0)
}
