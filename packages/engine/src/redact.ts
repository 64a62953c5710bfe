/** Masks secrets in a text; see the option `redact` of `toolPlugin`. */
export interface Redact {
  /** Answers with the text without its secrets. What it throws keeps the whole text back. */
  (text: string, context: RedactContext): string
  /**
   * It keeps back by itself what can be the beginning of a secret at the end of a partial text, as
   * `createRedactor` does. Without this the last word of every partial text is kept back.
   */
  readonly holdsBack?: boolean
}

/** Where a text comes from. */
export interface RedactContext {
  readonly toolName: string
  /** The key under which an output has the text, if it is in an object. */
  readonly key?: string
  /**
   * More of this text may follow, so that its end can be the beginning of a secret. The text so far
   * is shown only: what follows brings it whole again.
   */
  readonly isPartial: boolean
  /**
   * A person decides by this text, so a mask must not hide what could run: `createRedactor` hides words there that can only
   * be values.
   */
  readonly isEvidence?: boolean
}

/**
 * The key of a field for {@link RedactContext}: `value` is told by the name beside it, as in `{ name: 'API_KEY', value: '…' }`,
 * else by what holds it; what is below a `secret`, and the data of a `Secret` of Kubernetes, is one.
 *
 * @param parent the key of the object
 */
export function fieldKey(fields: object, name: string, parent?: string): string {
  const said: { kind?: unknown; name?: unknown; key?: unknown } = fields
  if (parent === 'secret' || (said.kind === 'Secret' && /(^d|gD)ata$/.test(name))) return 'secret'
  const named = said.key ?? said.name ?? parent
  return name === 'value' && typeof named === 'string' ? named : name
}
