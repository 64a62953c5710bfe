const PREFIX = 'The person denied this call; it did not run.'
const BY_RULE = 'A rule denied this call; it did not run.'

/**
 * What a model is told in place of the result of a denied call. A bare reason ("not today") reads
 * like the output of a tool.
 *
 * @param isByRule no person has denied it, whatever one has said before
 */
export function denialText(reason: string | undefined, isByRule = false): string {
  const prefix = isByRule ? BY_RULE : PREFIX
  return reason ? `${prefix} Reason: ${reason}` : prefix
}

/** The reason in a text made by {@link denialText}; `undefined` when it is another text. */
export function readDenialText(text: string): { reason: string | undefined } | undefined {
  const prefix = [PREFIX, BY_RULE].find((one) => text.startsWith(one))
  if (prefix === undefined) return undefined
  const reason = text.slice(prefix.length).replace(/^ Reason: /, '')
  return { reason: reason === '' ? undefined : reason }
}
