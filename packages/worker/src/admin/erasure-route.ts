import { z } from 'zod'
import type { WorkerStores } from '../stores.ts'
import type { AdminRoute } from './admin-route.ts'
import { readJsonBody } from './json-body.ts'
import { jsonAnswer } from './json-answer.ts'

const name = z.string().min(1)
const subject = z.union([
  z.strictObject({ conversationId: name, owner: name.optional() }),
  z.strictObject({ user: name }),
])

/** How a conversation, or a user, is erased. */
export function erasureRoute(erase: WorkerStores['erase']): AdminRoute {
  return {
    method: 'POST',
    path: ['erasure'],
    answer: async ({ request, user: who }) =>
      jsonAnswer({ erased: await erase(await readJsonBody(request, subject), { who }) }),
  }
}
