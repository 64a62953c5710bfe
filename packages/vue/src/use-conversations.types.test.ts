import type { CommandResult } from '@assent/engine'
import { connectConversations } from '@assent/engine/remote'
import {
  memoryStorage,
  type ConversationListing,
  type ConversationStorage,
  type ExportedConversation,
} from '@assent/engine/storage'
import { scriptedTransport } from '@assent/engine/testing'
import type { InferUITools, UIDataTypes, UIMessage } from 'ai'
import { expectTypeOf, test } from 'vitest'
import { effectScope, shallowRef, type ComputedRef } from 'vue'
import type { StandingPolicy } from './standing-policies.ts'
import type { UseConversationsReturn } from './use-conversations-options.ts'
import { useConversations } from './use-conversations.ts'
import type { UseMessageReturn } from './use-message.ts'

type Tools = InferUITools<{ rename: { inputSchema: never; execute: () => { renamed: number } } }>
type AppMessage = UIMessage<{ model?: string }, UIDataTypes, Tools>

test('the message type reaches the chat; storage and id may be values, refs or getters', () => {
  const scope = effectScope()
  scope.run(() => {
    const page = useConversations<AppMessage>({
      storage: memoryStorage(),
      engine: (id) => {
        expectTypeOf(id).toEqualTypeOf<string>()
        return { transport: scriptedTransport<AppMessage>(), request: () => ({ body: { id } }) }
      },
    })
    expectTypeOf(page).toEqualTypeOf<UseConversationsReturn<AppMessage>>()
    expectTypeOf(page.chat).toEqualTypeOf<UseMessageReturn<AppMessage>>()
    expectTypeOf(page.conversations.value).toEqualTypeOf<readonly ConversationListing[]>()
    expectTypeOf(page.active).toEqualTypeOf<ComputedRef<string>>()
    expectTypeOf(page.everywherePolicies.value).toEqualTypeOf<readonly StandingPolicy[]>()
    expectTypeOf(page.exportConversation).returns.resolves.toEqualTypeOf<
      CommandResult<ExportedConversation>
    >()
    expectTypeOf(page.create).returns.toEqualTypeOf<string>()

    const storage = shallowRef<ConversationStorage>(memoryStorage())
    const transport = scriptedTransport()
    useConversations({ storage, id: () => 'a', engine: () => ({ transport: () => transport }) })
    useConversations({
      storage: () => storage.value,
      engine: () => ({ transport }),
    })
    // @ts-expect-error the engine's options are a function of the id
    expectTypeOf(useConversations).toBeCallableWith({ storage, engine: { transport } })
  })
  scope.stop()
})

test('sharing can be left', () => {
  const make = () =>
    useConversations({
      storage: connectConversations({ url: 'wss://example.org' }).storage,
      share: Math.random() > 1,
      engine: () => ({ transport: scriptedTransport() }),
    })
  expectTypeOf(make).returns.toEqualTypeOf<UseConversationsReturn>()
})
