import type { AskedByPage } from '@assent/engine/remote'
import type { JSONValue } from 'ai'
import { z } from 'zod'

/** A value as it comes from a page: JSON, of any form. */
const json = z.custom<JSONValue>((value) => value !== undefined)

const asked: z.ZodType<AskedByPage> = z.discriminatedUnion('ask', [
  z.object({ ask: z.literal('read'), id: z.number(), namespace: z.string() }),
  z.object({
    ask: z.literal('write'),
    id: z.number(),
    namespace: z.string(),
    put: z.array(z.tuple([z.string(), json])),
    remove: z.array(z.string()),
    durability: z.enum(['strict', 'relaxed']).optional(),
    /** By which hold of the conversation; none for what anybody may change, such as its title. */
    hold: z.string().optional(),
  }),
  z.object({
    ask: z.literal('remove'),
    id: z.number(),
    namespace: z.string(),
    hold: z.string().optional(),
  }),
  z.object({ ask: z.literal('list'), id: z.number(), key: z.string() }),
  z.object({ ask: z.literal('hold'), hold: z.string(), conversationId: z.string() }),
  z.object({ ask: z.literal('release'), hold: z.string() }),
  z.object({ ask: z.literal('join'), channel: z.string() }),
  z.object({ ask: z.literal('leave'), channel: z.string() }),
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
