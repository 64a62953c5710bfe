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
}
