import { memoryStorage, type ConversationListing } from '@assent/engine/storage'
import { scriptedTransport } from '@assent/engine/testing'
import type { UIMessage } from 'ai'
import { createPinia, setActivePinia } from 'pinia'
import { beforeEach, expectTypeOf, test } from 'vitest'
import type { UseMessageReturn } from '../use-message.ts'
import { defineConversationsStore, defineMessageStore } from './index.ts'

type AppMessage = UIMessage<{ model?: string }, { progress: { percent: number } }>

beforeEach(() => setActivePinia(createPinia()))

test('the message type reaches state, chat and actions', () => {
  const store = defineMessageStore('chat', {
    transport: scriptedTransport<AppMessage>(),
  })()
  expectTypeOf(store.$id).toEqualTypeOf<'chat'>()
  expectTypeOf(store.messages).toEqualTypeOf<readonly AppMessage[]>()
  expectTypeOf(store.chat).toExtend<UseMessageReturn<AppMessage>>()
  expectTypeOf(store.sendMessage).toEqualTypeOf<UseMessageReturn<AppMessage>['sendMessage']>()
  expectTypeOf(store.isPaused).toEqualTypeOf<boolean>()
  expectTypeOf(store.$reset).toBeCallableWith()
})

test('of conversations too', () => {
  const store = defineConversationsStore('chats', {
    storage: memoryStorage(),
    engine: () => ({ transport: scriptedTransport<AppMessage>() }),
  })()
  expectTypeOf(store.messages).toEqualTypeOf<readonly AppMessage[]>()
  expectTypeOf(store.conversations).toEqualTypeOf<readonly ConversationListing[]>()
  expectTypeOf(store.active).toEqualTypeOf<string>()
  expectTypeOf(store.create).returns.toEqualTypeOf<string>()
})
