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
  /** The object that has it under this key, before anything is masked. */
  readonly within?: RedactPlace
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

/** An object that holds a text, or holds what does. */
export interface RedactPlace {
  readonly fields: Readonly<Record<string, unknown>>
  /** The key under which the object itself is, if it is in another one. */
  readonly key?: string | undefined
  readonly within?: RedactPlace | undefined
}
