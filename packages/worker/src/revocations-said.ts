import type { MessageEngine } from '@assent/engine'
import type { SharedConversations } from '@assent/engine/storage'
import { channelRelay } from '@assent/node'
import { z } from 'zod'

type Channels = Pick<SharedConversations, 'channels'>

/** What is said to who works on a conversation: which permission is taken back, by whom. */
const Said = z.object({ permissionId: z.string(), user: z.string() })
type Said = z.infer<typeof Said>
/** For so long who says something stays, for other processes to hear it. */
const SAID_WITHIN_MS = 5_000

/** None that a page can be on: their channels begin with `assent:`. */
const channelOf = (conversationId: string): string => `revocations:${conversationId}`

/** Tells whoever works on a conversation, in any process, that a permission is taken back. It may be missed. */
export function sayRevocation(
  { channels }: Channels,
  conversationId: string,
  { permissionId, user }: Said,
): void {
  const end = channelRelay(channels, () => {}).join(channelOf(conversationId), {
    onHeard() {},
    onMissed() {},
  })
  end.say(JSON.stringify({ permissionId, user }))
  setTimeout(() => end.leave(), SAID_WITHIN_MS).unref()
}

/**
 * Takes back what {@link sayRevocation} says while this engine works on its conversation: calls that have not
 * started ask again. Returns how to listen no more.
 *
 * @param deciders is told who takes it back, by the id of the permission, before that is done
 */
export function hearRevocations(
  { channels }: Channels,
  engine: MessageEngine,
  deciders: Map<string, string | undefined>,
  report: (error: unknown) => void,
): () => void {
  const end = channelRelay(channels, report).join(channelOf(engine.id), {
    onHeard(text) {
      const { data } = z.string().transform(readJson).pipe(Said).safeParse(text)
      if (!data) return
      const { permissionId, user } = data
      deciders.set(permissionId, user)
      // What has ended already is refused, which is as well.
      void engine.runPluginCommand('tool', 'revokePolicy', { policyId: permissionId })
    },
    onMissed() {},
  })
  return () => end.leave()
}

function readJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
