import type { AuditLog } from '@assent/node'
import type { Task } from '../../src/inbox.ts'
import type { World } from '../../../node/test/kills/world.ts'

/** What is wrong with a task that is over, by what the world has of it. */
export function wrongWith({ id, state, input }: Task, world: World): string[] {
  const [kind] = String(input).split(' ')
  const replies = world.replies.filter(({ taskId }) => taskId === id)
  const effects = world.effects.get(id) ?? 0
  const wrong: string[] = []
  const hold = (what: string, isHeld: boolean) => {
    if (isHeld) return
    wrong.push(`${what}: ${JSON.stringify({ id, kind, state, replies, effects })}`)
  }
  const [text, ...others] = new Set(replies.map((reply) => reply.text))
  hold('it is not done', state === 'done')
  hold('it was not answered', text !== undefined)
  hold('it was answered in two ways', others.length === 0)
  const silent = replies.filter(({ mayBeRepeated }) => !mayBeRepeated)
  hold('its reply was repeated silently', silent.length <= 1)
  if (kind === 'say') {
    hold('it did not say what it should', text === `said ${id}` && effects === 0)
  } else if (kind === 'safe') {
    hold('what may be done again was not done', text === `ok ${id}` && effects > 0)
  } else {
    hold('what is said to be done was not done once', text !== `ok ${id}` || effects === 1)
    hold('something was done twice', effects <= 1)
    hold('it is not said what became of it', [`ok ${id}`, `unknown ${id}`].includes(text ?? ''))
  }
  return wrong
}

/** Conversations whose replies did not come in the order of their tasks. */
export function outOfOrder(tasks: readonly Task[], world: World): string[] {
  const firsts = [...new Set(world.replies.map(({ taskId }) => taskId))]
  const byConversation = Map.groupBy(tasks, ({ conversationId }) => conversationId)
  return [...byConversation].flatMap(([conversationId, ofOne]) => {
    const asked = ofOne.map(({ id }) => id)
    const answered = firsts.filter((id) => asked.includes(id))
    return answered.join() === asked.join() ? [] : `${conversationId}: ${answered.join()}`
  })
}

/** Phases of tasks that are not in the audit. */
export async function missingPhases(tasks: readonly Task[], audit: AuditLog): Promise<string[]> {
  const missing: string[] = []
  for (const { id } of tasks) {
    const entries = await audit.query({ taskId: id, kind: 'task', limit: 1_000 })
    const found = entries.map(({ payload }) => payload['phase'])
    for (const phase of ['ingress', 'model', 'reply', 'done']) {
      if (!found.includes(phase)) missing.push(`${id}: ${phase}`)
    }
  }
  return missing
}

/** What the audit does not say of the calls of tasks, or says otherwise than the world. */
export async function wrongCalls(
  tasks: readonly Task[],
  audit: AuditLog,
  world: World,
): Promise<string[]> {
  const wrong: string[] = []
  for (const { id, input } of tasks) {
    const [kind] = String(input).split(' ')
    const calls = await audit.calls({ taskId: id })
    const isOk = world.replies.some(({ text }) => text === `ok ${id}`)
    const isRun = world.effects.has(id)
    const isRight =
      kind === 'say'
        ? calls.length === 0
        : calls.length > 0 &&
          calls.every(({ status }) => status === 'done' || status === 'failed') &&
          calls.some(({ status }) => status === 'done') === isOk &&
          (!isRun || calls.some(({ startedAt }) => startedAt !== undefined))
    if (!isRight) wrong.push(JSON.stringify({ id, kind, isOk, isRun, calls }))
  }
  return wrong
}
