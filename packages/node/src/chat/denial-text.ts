const PREFIX = 'The person denied this call; it did not run.'

/**
 * What a model is told in place of the result of a denied call. A bare reason ("not today") reads
 * like the output of a tool.
 */
export function denialText(reason: string | undefined): string {
  return reason ? `${PREFIX} Reason: ${reason}` : PREFIX
}

/** The reason in a text made by {@link denialText}; `undefined` when it is another text. */
export function readDenialText(text: string): { reason: string | undefined } | undefined {
  if (!text.startsWith(PREFIX)) return undefined
  const reason = text.slice(PREFIX.length).replace(/^ Reason: /, '')
  return { reason: reason === '' ? undefined : reason }
}
