import type { createSharedEngine } from '../../src/sharing/create-shared-engine.ts'
import { loadFrom, type Fault } from '../turns/faults.ts'

export const FAULTS: readonly Fault[] = [
  {
    name: 'a tab holds the conversation without waiting for its lock',
    file: 'sharing/lock.ts',
    right: 'void (async () => locks.request(name, { signal }, granted))()',
    wrong: 'void granted().then(() => undefined)',
  },
  {
    name: 'the lock is given back before what is left is stored',
    file: 'sharing/holder.ts',
    right: 'void closed().then(over.resolve)',
    wrong: 'void closed()\n      over.resolve()',
  },
  {
    name: 'a holder that leaves goes on',
    file: 'sharing/holder.ts',
    right: 'service?.stop()\n    engine.dispose()',
    wrong: 'service?.stop()',
  },
  {
    name: 'nobody looks after what a dead holder did not answer',
    file: 'sharing/open-calls.ts',
    right: 'else if (call.place !== place) lookAfter(call)',
    wrong: '',
  },
  {
    name: 'a decision is not given again',
    file: 'sharing/after-take-over.ts',
    right: 'return named?.repeatableCommands?.includes(command) ?? false',
    wrong: 'return named === undefined',
  },
  {
    name: 'a message is sent again that was sent',
    file: 'sharing/after-take-over.ts',
    right: 'if (isThere(state, request.message.id)) return { watch: request.message.id }',
    wrong: '',
  },
  {
    name: 'a call that arrives again is carried out again',
    file: 'sharing/serve-mirrors.ts',
    right: 'answers.get(callId) ?? begin(request)',
    wrong: 'begin(request)',
  },
  {
    name: 'a new holder is not told who listens',
    file: 'sharing/mirror.ts',
    right: "if (isFirst && message.to === undefined) say({ type: 'hello', term, seq })",
    wrong: '',
  },
  {
    name: 'a change is told in another order than it was made',
    file: 'sharing/serve-mirrors.ts',
    right: 'change: changeBetween(before, state, ',
    wrong: 'change: changeBetween(state, before, ',
  },
]

/** Loads the factory of a copy of the sources that has the fault. */
export async function loadFaulty(fault: Fault): Promise<typeof createSharedEngine> {
  type Parts = { createSharedEngine: typeof createSharedEngine }
  const parts = await loadFrom<Parts>(fault, ['sharing/create-shared-engine.ts'])
  return parts.createSharedEngine
}
