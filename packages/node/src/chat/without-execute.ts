import type { ToolSet } from 'ai'

/** Tools for a model to know of, and for nobody there to run or to ask about. */
export function withoutExecute(tools: ToolSet): ToolSet {
  // From entries, so that no name, "constructor" included, meets what objects inherit.
  return Object.fromEntries(
    Object.entries(tools).map(([name, tool]) => [
      name,
      { ...tool, execute: undefined, needsApproval: undefined },
    ]),
  )
}
