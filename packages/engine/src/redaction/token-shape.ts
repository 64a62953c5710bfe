/** A token that is known by how it begins. */
export interface TokenShape {
  readonly kind: string
  /** What it begins with, one of these. */
  readonly starts: readonly string[]
  /** The characters that follow, as in the brackets of a regular expression. */
  readonly body: string
  /** How many of them, at least. */
  readonly min: number
  /** At most; more of them make something else. */
  readonly max?: number
  /** The beginning says what it is and is no secret itself. */
  readonly keepsStart?: boolean
  /** Whether what follows the beginning is a secret, and not prose. */
  readonly accepts?: (body: string) => boolean
}
