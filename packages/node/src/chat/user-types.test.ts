import type { LanguageModel, ToolSet } from 'ai'
import { describe, expect, expectTypeOf, test } from 'vitest'
import { scriptedModel } from '../../test/scripted-model.ts'
import { createChatHandler } from './create-chat-handler.ts'

interface User {
  readonly id: string
  readonly role: 'clerk' | 'manager'
}

const users = new Map<string | null, User>([['ada', { id: 'ada', role: 'clerk' }]])
const userOf = (request: Request): User | undefined => users.get(request.headers.get('x-user'))
const laterUserOf = async (request: Request): Promise<User | null> => userOf(request) ?? null
const tools: ToolSet = {}
const model: LanguageModel = scriptedModel([])
const approvalSecret = 'sixteen bytes or more'

describe('the user that functions of a handler are given', () => {
  test('is what `authorize` answers, without that it knows nobody', () => {
    // As docs/node-chat-handler.md writes it.
    const chat = createChatHandler({
      model,
      tools,
      approvalSecret,
      ledger: 'memory',
      authorize: (request) => userOf(request), // { id: 'ada', role: 'clerk' }
      mayDecide: ({ user, requester, approved }) => {
        expectTypeOf(user).toEqualTypeOf<User>()
        return user.role === 'manager' && (!approved || user.id !== requester)
      },
    })
    expect(chat).toBeTypeOf('function')
  })

  test('is known to tools, model, hooks and keys, also when `authorize` answers later', () => {
    const chat = createChatHandler({
      authorize: (request) => laterUserOf(request),
      userKey: (user) => {
        expectTypeOf(user).toEqualTypeOf<User>()
        return user.id
      },
      model: ({ user }) => {
        expectTypeOf(user).toEqualTypeOf<User>()
        return model
      },
      approvalSecret,
      ledger: 'memory',
      tools: ({ user }) => {
        expectTypeOf(user).toEqualTypeOf<User>()
        return user.role === 'manager' ? tools : {}
      },
      onFinish: (_end, { user }) => {
        expectTypeOf(user).toEqualTypeOf<User>()
      },
    })
    expect(chat).toBeTypeOf('function')
  })

  test('is known before `authorize` is written, where its parameter has a type', () => {
    const chat = createChatHandler({
      model,
      approvalSecret,
      ledger: 'memory',
      tools: ({ user }) => (user.role === 'manager' ? tools : {}),
      mayDecide: ({ user }) => {
        expectTypeOf(user).toEqualTypeOf<User>()
        return user.role === 'manager'
      },
      authorize: userOf,
    })
    expect(chat).toBeTypeOf('function')
  })

  test.each([undefined, null, false] as const)(
    'may be any that `authorize` knows always: %s refuses nobody else',
    async (nobody) => {
      const chat = createChatHandler({
        authorize: (request): User | false | null | undefined => userOf(request) ?? nobody,
        model: ({ user }) => {
          expectTypeOf(user).toEqualTypeOf<User>()
          return model
        },
      })
      const refused = await chat(new Request('http://localhost/api/chat', { method: 'POST' }))
      expect(refused.status).toBe(401)
    },
  )

  test('is nothing that anybody knows where there is no `authorize`', () => {
    const chat = createChatHandler({
      model: ({ user }) => {
        expectTypeOf(user).toBeUnknown()
        return model
      },
    })
    expect(chat).toBeTypeOf('function')
  })
})
