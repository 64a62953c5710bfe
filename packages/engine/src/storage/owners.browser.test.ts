import { expect, it } from 'vitest'
import { createMessageEngine } from '../engine.ts'
import { answer, scriptedTransport } from '../testing/index.ts'
import { defineStorage } from './define-storage.ts'
import { indexedDBStorage } from './indexed-db-storage.ts'
import { clearOwner } from './stored-conversations.ts'

const CHANNEL = 'assent:owner-cleared'

function open(name: string, owner: string) {
  const storage = indexedDBStorage({ name })
  const transport = scriptedTransport([answer('Hello.'), answer('Again.')])
  const engine = createMessageEngine({
    id: 'chat',
    owner,
    storage: defineStorage(storage),
    transport,
  })
  return { engine, storage }
}

it('ends what is open of an owner that another tab clears, and stores nothing of it', async () => {
  const name = `owners ${Math.random()}`
  const [ada, bob] = [open(name, 'ada'), open(name, 'bob')]
  await Promise.all([ada, bob].map(({ engine }) => engine.sendMessage('Hi')))
  // As another tab says it, with another module and another connection.
  const tab = new BroadcastChannel(CHANNEL)
  const word = { owner: 'ada', isOver: false }
  tab.postMessage(word)
  await expect.poll(async () => (await ada.engine.sendMessage('More')).error?.code).toBe('disposed')
  await clearOwner(indexedDBStorage({ name }), 'ada')
  expect(await bob.engine.sendMessage('More')).toMatchObject({ requestState: 'completed' })
  expect([...(await ada.storage.list('about')).keys()]).toEqual(['owner/3/bob/conversation/chat'])
  tab.close()
  bob.engine.dispose()
})

it('tells the other tabs what it clears', async () => {
  const heard: unknown[] = []
  const tab = new BroadcastChannel(CHANNEL)
  tab.addEventListener('message', ({ data }) => heard.push(data))
  await clearOwner(indexedDBStorage({ name: `owners ${Math.random()}` }), 'ada')
  await expect
    .poll(() => heard)
    .toEqual([
      { owner: 'ada', isOver: false },
      { owner: 'ada', isOver: true },
    ])
  tab.close()
})
