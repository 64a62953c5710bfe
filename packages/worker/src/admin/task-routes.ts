import { type AuditLog, RequestError } from '@assent/node'
import type { JSONValue } from 'ai'
import { z } from 'zod'
import type { Inbox, Task } from '../inbox.ts'
import { refusedDecision, type DecisionRules } from '../may-decide.ts'
import { readTaskAnswer } from '../task-answer.ts'
import { plain, readTaskWaiting } from '../task-waiting.ts'
import { WorkerError } from '../worker-error.ts'
import type { AdminRequest, AdminRoute } from './admin-route.ts'
import { given } from './given.ts'
import { jsonAnswer } from './json-answer.ts'
import { readJsonBody } from './json-body.ts'
import { queryParameters } from './query-parameters.ts'
import { TASK_STATES } from '../task-states.ts'
import { withFailedCalls } from './failed-calls.ts'

const json: z.ZodType<JSONValue> = z.json()
const newTask = z.object({
  id: z.string().optional(),
  conversationId: z.string(),
  input: json,
  dueAt: z.number().optional(),
})

/** What can be asked about tasks, and done to them. */
export function taskRoutes(
  inbox: Inbox,
  audit: AuditLog | false,
  rules: DecisionRules,
): readonly AdminRoute[] {
  return [
    {
      method: 'GET',
      path: ['tasks'],
      answer: async ({ request }) => {
        const query = queryParameters(request)
        const states = query.some('state', TASK_STATES)
        const tasks = await inbox.list({
          limit: Math.min(query.whole('limit') ?? 100, 1_000),
          ...given({
            states: states.length > 0 ? states : undefined,
            conversationId: query.text('conversation'),
            before: query.text('before'),
          }),
        })
        return jsonAnswer({
          tasks: await Promise.all(tasks.map((task) => withFailedCalls(task, audit))),
          counts: Object.fromEntries(await inbox.count()),
        })
      },
    },
    {
      method: 'POST',
      path: ['tasks'],
      answer: async ({ request }) => {
        const { id, dueAt, ...task } = await readJsonBody(request, newTask)
        const added = await refused(() => inbox.add({ ...task, ...given({ id, dueAt }) }))
        return jsonAnswer({ task: added }, 201)
      },
    },
    {
      method: 'GET',
      path: ['tasks', ':id'],
      answer: async (asked) => {
        const task = await find(inbox, asked)
        const entries = audit ? await audit.query({ taskId: task.id, limit: 1_000 }) : []
        return jsonAnswer({
          task: await withFailedCalls(task, audit),
          entries: entries.toReversed(),
        })
      },
    },
    {
      method: 'POST',
      path: ['tasks', ':id', 'replay'],
      answer: (asked) => changeDead(inbox, asked, (id) => inbox.replay(id)),
    },
    {
      method: 'POST',
      path: ['tasks', ':id', 'discard'],
      answer: (asked) => changeDead(inbox, asked, (id) => inbox.discard(id)),
    },
    {
      method: 'POST',
      path: ['tasks', ':id', 'answer'],
      answer: async (asked) => {
        const body = await readJsonBody(asked.request, json)
        const answer = await refused(() => readTaskAnswer(body))
        const task = await find(inbox, asked)
        // Who it is says who was let in, not whoever writes the request.
        const signed = { ...answer, by: asked.user, user: asked.user }
        const { calls = [] } = readTaskWaiting(task.waitingFor) ?? {}
        const refusal = await refusedDecision({ task, answer: signed, calls }, rules)
        if (refusal) throw new RequestError(403, 'may-not-decide', refusal.message)
        if (await inbox.answer(task.id, plain(signed))) return current(inbox, task)
        throw conflict(task, 'It is over: nothing is asked about it any more.')
      },
    },
  ]
}

async function changeDead(
  inbox: Inbox,
  asked: AdminRequest,
  change: (id: string) => Promise<boolean>,
): Promise<Response> {
  // Only what a form cannot send, as for the other changes.
  await readJsonBody(asked.request, z.object({}))
  const task = await find(inbox, asked)
  if (await change(task.id)) return current(inbox, task)
  throw conflict(task, 'It is not dead.')
}

async function find(inbox: Inbox, { values }: AdminRequest): Promise<Task> {
  const id = values.get('id') ?? ''
  const task = await inbox.get(id)
  if (task) return task
  throw new RequestError(404, 'not-found', `There is no task ${JSON.stringify(id)}.`)
}

async function current(inbox: Inbox, task: Task): Promise<Response> {
  return jsonAnswer({ task: (await inbox.get(task.id)) ?? task })
}

function conflict({ id }: Task, why: string): RequestError {
  return new RequestError(
    409,
    'wrong-state',
    `Task ${JSON.stringify(id)} cannot be changed. ${why}`,
  )
}

/** What an inbox refuses, the request is refused for. */
async function refused<RESULT>(act: () => RESULT | Promise<RESULT>): Promise<RESULT> {
  try {
    return await act()
  } catch (error) {
    if (error instanceof WorkerError) throw new RequestError(400, error.code, error.message)
    throw error
  }
}
