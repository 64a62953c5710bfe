const PREFIX = 'assent-decisions/'

/**
 * Where a server notes who was asked, and what was allowed, in a conversation: beside its records, as no page may write
 * there. A store that such a server keeps takes these away with the records.
 *
 * @param namespace that of a conversation, or what several begin with
 */
export function notesBeside(namespace: string): string {
  return `${PREFIX}${namespace}`
}

/** Whether a namespace is one of such notes, or some that begin with it are. */
export function isOfNotes(namespace: string): boolean {
  return namespace.startsWith(PREFIX)
}

/** The namespace that such notes are beside of. */
export function besideNotes(namespace: string): string {
  return namespace.slice(PREFIX.length)
}
