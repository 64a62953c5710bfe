import type { AskedByPage } from '@assent/engine/remote'
import type { JSONValue } from 'ai'
import { z } from 'zod'

/** A value as it comes from a page: JSON, of any form. */
const json = z.custom<JSONValue>((value) => value !== undefined)

const asked: z.ZodType<AskedByPage> = z.discriminatedUnion('ask', [
  z.object({
    ask: z.literal('read'),
    id: z.number(),
    namespace: z.string(),
    range: z
      .object({
        prefix: z.string().optional(),
        after: z.string().optional(),
        limit: z.number().optional(),
        descending: z.boolean().optional(),
      })
      .optional(),
  }),
  z.object({
    ask: z.literal('write'),
    id: z.number(),
    namespace: z.string(),
    put: z.array(z.tuple([z.string(), json])),
    remove: z.array(z.string()),
    claim: z
      .object({ key: z.string(), expected: z.string().optional(), id: z.string() })
      .transform(({ key, expected, id }) => ({ key, expected, id }))
      .optional(),
    durability: z.enum(['strict', 'relaxed']).optional(),
    fence: z.number().optional(),
  }),
  z.object({
    ask: z.literal('remove'),
    id: z.number(),
    namespace: z.string(),
    fence: z.number().optional(),
  }),
  z.object({ ask: z.literal('removeAll'), id: z.number(), prefix: z.string() }),
  z.object({
    ask: z.literal('list'),
    id: z.number(),
    key: z.string(),
    range: z
      .object({
        prefix: z.string().optional(),
        by: z.string().optional(),
        after: z.object({ namespace: z.string(), value: z.number().optional() }).optional(),
        limit: z.number().optional(),
      })
      .optional(),
  }),
  z.object({
    ask: z.literal('search'),
    id: z.number(),
    text: z.string(),
    prefix: z.string(),
  }),
  z.object({ ask: z.literal('fence'), id: z.number(), namespace: z.string() }),
  z.object({ ask: z.literal('hold'), hold: z.string(), conversationId: z.string() }),
  z.object({ ask: z.literal('release'), hold: z.string() }),
  z.object({ ask: z.literal('join'), channel: z.string() }),
  z.object({ ask: z.literal('leave'), channel: z.string() }),
  z.object({
    ask: z.literal('decide'),
    id: z.number(),
    channel: z.string(),
    request: json,
  }),
  z.object({ ask: z.literal('say'), channel: z.string(), text: z.string() }),
])

/** What a page asks, if that is what the text says. */
export function readAsked(text: string): AskedByPage | undefined {
  try {
    return asked.safeParse(JSON.parse(text)).data
  } catch {
    return undefined
  }
}
