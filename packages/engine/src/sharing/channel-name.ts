import { ownerPrefix } from '../owner.ts'

/** The name of the channel on which those speak who have a conversation open, and of its lock. */
export function channelNameOf(conversationId: string, owner?: string): string {
  return `assent:${ownerPrefix(owner)}${conversationId}`
}
