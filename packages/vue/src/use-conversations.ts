import { EngineError, randomId, type CommandResult } from '@assent/engine'
import {
  clearOwner,
  memoryStorage,
  onOwnerCleared,
  storedConversations,
  toExported,
  type ConversationListing,
  type StorageListPlace,
} from '@assent/engine/storage'
import type { UIMessage } from 'ai'
import {
  computed,
  getCurrentScope,
  hasInjectionContext,
  inject,
  onScopeDispose,
  shallowRef,
  ssrContextKey,
  toRaw,
  toValue,
  warn,
  watch,
} from 'vue'
import { createConversationList } from './conversation-list.ts'
import { createConversationPool } from './conversation-pool.ts'
import { useEverywherePolicies } from './everywhere-policies.ts'
import { observeStorage } from './observed-storage.ts'
import type { OpenConversation } from './open-conversation.ts'
import type {
  UseConversationsOptions,
  UseConversationsReturn,
} from './use-conversations-options.ts'
import { createWorkQueue, settle } from './store-work.ts'
import { useMessage } from './use-message.ts'

/** How many of the list are read at once. */
const PAGE = 50

/**
 * The conversations of a store: one is active, any number go on in the background.
 *
 * ```ts
 * const { conversations, active, chat, open, create, remove } = useConversations({
 *   storage: indexedDBStorage(),
 *   engine: () => ({
 *     transport: httpTransport({ api: '/api/chat' }),
 *     plugins: [toolPlugin({ tools })],
 *   }),
 * })
 * ```
 *
 * A conversation that is left while it is busy goes on; what comes then is counted as unread. One
 * that waits for a person, or is over, lives in the store alone until it is opened again.
 *
 * Call it in `setup`, in a Pinia setup store, or in an `effectScope`: the engines are disposed with
 * that scope. Nothing is polled: the list follows the engines that are open, and `refresh()` reads
 * what others have stored. On a server nothing is read, and the list is empty.
 */
export function useConversations<MESSAGE extends UIMessage = UIMessage>(
  options: UseConversationsOptions<MESSAGE>,
): UseConversationsReturn<MESSAGE> {
  const { now = Date.now, generateId = randomId } = options
  const onServer = hasInjectionContext() && inject(ssrContextKey, undefined) !== undefined
  const place = shallowRef(openPlace())
  const list = createConversationList()
  /** What was found, as the store had it. */
  const listingsFound = shallowRef<readonly ConversationListing[]>()
  /** Where the rest of the list begins, if there is one. */
  const next = shallowRef<StorageListPlace>()
  let loadingMore: Promise<CommandResult<void>> | undefined
  const isLoaded = shallowRef(false)
  let searches = 0
  const inOrder = createWorkQueue()

  /**
   * The store of now. On a server, and while nobody is known whose it is, it is an empty one, which nobody
   * else reads.
   */
  function openPlace(isEmptied = false) {
    const owner = isEmptied ? undefined : toValue(options.owner) || undefined
    const isNobody = 'owner' in options && owner === undefined
    const given = onServer || isNobody ? memoryStorage() : toRaw(toValue(options.storage))
    const observed = observeStorage(given)
    const ofOwner = owner === undefined ? {} : { owner }
    const stored = storedConversations(observed.storage, { now, generateId, ...ofOwner })
    return { ...observed, owner, stored }
  }

  /** Closes all, and begins anew with what is there now. */
  function restart(isEmptied = false): void {
    place.value = openPlace(isEmptied)
    list.clear()
    everywhere.clear()
    listingsFound.value = undefined
    next.value = undefined
    isLoaded.value = false
    pool.restart(toValue(options.id) ?? generateId())
    beginHere()
  }

  const pool = createConversationPool<MESSAGE>(
    {
      options,
      now,
      list,
      storage: () => (onServer ? undefined : place.value.storage),
      owner: () => place.value.owner,
      markUnread(id, count) {
        const { stored } = place.value
        void inOrder(async () => {
          if (list.get(id)) await stored.markUnread(id, count)
        })
      },
      onChange: (one) => everywhere.add(one.engine.getState().confirmations),
    },
    toValue(options.id) ?? generateId(),
  )
  const everywhere = useEverywherePolicies(
    {
      now,
      conversationId: () => pool.active.value.id,
      async readMessage(conversationId, messageId) {
        const one = pool.get(conversationId)
        if (one) return one.engine.getMessage(messageId)
        const read = await settle(place.value.stored.export(conversationId))
        return read.success ? read.result.messages.find(({ id }) => id === messageId) : undefined
      },
    },
    onServer,
  )

  /** What was wrong with the store last. */
  function failure(): EngineError | undefined {
    return [...place.value.failures.value.values()].at(-1)
  }

  const isOpen = (id: string) => pool.get(id)?.isReady() ?? false

  function refresh(id?: string): Promise<CommandResult<void>> {
    const { stored } = place.value
    return inOrder(async () => {
      if (id !== undefined) return loadOne(id)
      try {
        // As many as are shown.
        await list.load(() => readPage(Math.max(PAGE, list.sorted.value.length)), isOpen)
        everywhere.add(await stored.everywhere())
      } finally {
        isLoaded.value = true
      }
    })
  }

  async function readPage(
    limit: number,
    after?: StorageListPlace,
  ): Promise<readonly ConversationListing[]> {
    const { stored } = place.value
    const page = await stored.page(limit, after)
    if (stored === place.value.stored) next.value = page.next
    return page.conversations
  }

  function loadMore(): Promise<CommandResult<void>> {
    loadingMore ??= inOrder(async () => {
      const after = next.value
      if (after) await list.add(() => readPage(PAGE, after), isOpen)
    }).finally(() => {
      loadingMore = undefined
    })
    return loadingMore
  }

  /** Reads one of the list again. */
  async function loadOne(id: string, isKnownHere = () => isOpen(id)): Promise<void> {
    await list.loadOne(id, () => place.value.stored.get(id), isKnownHere)
    if (!list.get(id)) dropFound(id)
  }

  function dropFound(id: string): void {
    listingsFound.value = listingsFound.value?.filter((one) => one.id !== id)
  }

  /** Resolves when a conversation is there, unless its id is that of a deleted one. */
  async function arrive(one: OpenConversation<MESSAGE>): Promise<CommandResult<string>> {
    const { id } = one
    const { stored } = place.value
    const [removed] = await Promise.all([settle(stored.isRemoved(id)), one.engine.ready])
    if (!removed.success || !removed.result) return { success: true, result: id }
    if (pool.get(id) === one) pool.discard(id, generateId)
    const error = new EngineError('unknown_conversation', `Conversation "${id}" was deleted.`, {
      details: { conversationId: id },
    })
    return { success: false, error }
  }

  function beginHere(): void {
    void arrive(pool.active.value)
    void refresh()
  }

  if (!onServer) {
    beginHere()
    watch(
      () => toValue(options.id),
      (id) => void (id !== undefined && open(id)),
      { flush: 'sync' },
    )
    watch([() => toRaw(toValue(options.storage)), () => toValue(options.owner)], () => restart(), {
      flush: 'sync',
    })
    watch(
      () => toValue(options.owner),
      (owner, _, onCleanup) => {
        if (!owner) return
        // Only once it is gone may anything be read again.
        onCleanup(onOwnerCleared(owner, (isOver) => restart(!isOver)))
      },
      { flush: 'sync', immediate: true },
    )
    if (getCurrentScope()) onScopeDispose(() => pool.dispose())
    else {
      warn(
        'useConversations() was called where no effect scope is active, so it is never disposed. ' +
          'Call it in setup() before any await, or inside effectScope().run().',
      )
    }
  }

  const chat = useMessage<MESSAGE>({ engine: () => pool.active.value.engine })

  function open(id: string): Promise<CommandResult<string>> {
    return arrive(pool.show(id))
  }

  return {
    chat,
    conversations: list.sorted,
    isLoaded: computed(() => isLoaded.value),
    active: computed(() => pool.active.value.id),
    hasMore: computed(() => next.value !== undefined),
    found: computed(() => listingsFound.value?.map((one) => list.get(one.id) ?? one)),
    error: computed(failure),
    everywherePolicies: everywhere.policies,
    refresh,
    loadMore,
    open,
    create: () => pool.show(generateId()).id,
    reopen: () => arrive(pool.reopen()),
    rename(id, title) {
      const { stored } = place.value
      const one = pool.get(id)
      const known = list.get(id)
      const text = title.trim()
      if (known && text !== '') list.set({ ...known, title: text, isTitleGiven: true })
      return inOrder(async () => {
        // One that began a moment ago may not be there yet.
        if (one && !(await one.save())) throw failure()
        await stored.rename(id, text)
        if (text === '') await loadOne(id, () => false)
        return id
      })
    },
    remove(id) {
      const { stored } = place.value
      pool.discard(id, generateId)
      list.drop(id)
      dropFound(id)
      return inOrder(async () => {
        await stored.remove(id)
        return id
      })
    },
    async search(text) {
      const mine = ++searches
      const wanted = text.trim()
      let listings: readonly ConversationListing[] | undefined
      if (wanted !== '') {
        const found = await settle(place.value.stored.search(wanted))
        const has = (title: string) => title.toLowerCase().includes(wanted.toLowerCase())
        // Without the store, titles are what is known.
        listings = found.success
          ? found.result
          : list.sorted.value.filter(({ title }) => has(title))
      }
      if (mine === searches) listingsFound.value = listings
      return { success: true, result: listings ?? [] }
    },
    exportConversation(id) {
      const { stored } = place.value
      const one = pool.get(id)
      const listing = list.get(id)
      // Of a conversation whose earlier messages were not read, the store has all.
      const state = one?.isReady() ? one.engine.getState() : undefined
      if (!state || state.earlier || !listing) return settle(stored.export(id))
      return Promise.resolve({ success: true, result: toExported(listing, state) })
    },
    importConversation(file) {
      const { stored } = place.value
      return inOrder(async () => {
        const id = await stored.import(file)
        await loadOne(id)
        return id
      })
    },
    async stopAll() {
      await Promise.all(pool.all().map(({ engine }) => engine.stopAll()))
    },
    async resumePolicies(policyId) {
      const payload = policyId === undefined ? {} : { policyId }
      const opened = pool.all()
      await Promise.all(
        opened.map(({ engine }) => engine.runPluginCommand('tool', 'resumePolicies', payload)),
      )
    },
    clearOwner() {
      const { storage } = place.value
      const owner = toValue(options.owner)
      return settle(owner ? clearOwner(storage, owner) : Promise.resolve())
    },
    async revokeEverywhere(policyId) {
      const { stored } = place.value
      // Each that is open has to know; any one of them stores it.
      const revoked = await Promise.all(
        pool.all().map(async (one) => {
          const { success } = await one.engine.runPluginCommand('tool', 'revokePolicy', {
            policyId,
          })
          return success && (await one.save())
        }),
      )
      const result = revoked.includes(true)
        ? await settle(Promise.resolve())
        : await inOrder(() => stored.revokeEverywhere(policyId))
      if (!result.success) return result
      const records = await settle(stored.everywhere())
      if (records.success) everywhere.add(records.result)
      return { success: true, result: policyId }
    },
  }
}
