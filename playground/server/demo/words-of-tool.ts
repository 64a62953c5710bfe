/** How the demo model speaks of one tool. */
export interface ToolWords {
  /** What a call does, in the imperative, with the values of its input. */
  readonly doing: (input: unknown) => string
  /** What came of it, in the words of the output; `undefined` when the output is of another shape. */
  readonly done: (output: unknown) => string | undefined
}
