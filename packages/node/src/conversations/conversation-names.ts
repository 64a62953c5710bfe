import type { ConversationName } from '@assent/engine/storage'

/** Which conversation a channel is that of. */
export function conversationOn(
  channel: string,
): { id: string; owner: string | undefined } | undefined {
  const [prefix, name] = /^assent:([^]*)$/.exec(channel) ?? []
  if (prefix === undefined || name === undefined) return undefined
  const { conversationId, conversationOwner } = readName(name)
  return { id: conversationId, owner: conversationOwner }
}

/** What a page calls a conversation, which has the owner in it, where there is one. */
export function readName(name: string): ConversationName {
  const [prefix, length = ''] = /^owner\/(\d+)\//.exec(name) ?? []
  if (prefix === undefined) return { conversationId: name }
  const end = prefix.length + Number(length)
  if (name[end] !== '/') return { conversationId: name }
  return {
    conversationOwner: name.slice(prefix.length, end),
    conversationId: name.slice(end + 1),
  }
}
