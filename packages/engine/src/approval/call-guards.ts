import { isToolRisk, type ToolRisk } from '../message/tool-part.ts'

/** What the options of a tool say that guards its calls. */
export interface CallGuards {
  /** Of all calls, or of the one with this input. */
  readonly risk?: ToolRisk | ((input: never) => ToolRisk)
  /** A standing permission covers exactly one input: of all calls, or of those like this one. */
  readonly exactOnly?: boolean | ((input: never) => boolean)
}

/** The risk of one call. A function that fails, or names no risk, counts as `destroy`. */
export function riskByOptions({ risk }: CallGuards, input: unknown): ToolRisk | undefined {
  if (typeof risk !== 'function') return risk
  try {
    // The input is what the tool's schema describes, or the function throws.
    const said: unknown = risk(input as never)
    return isToolRisk(said) ? said : 'destroy'
  } catch {
    return 'destroy'
  }
}

/** Whether only its exact input covers a call. What fails, or is no boolean, says so. */
export function exactOnlyByOptions({ exactOnly = false }: CallGuards, input: unknown): boolean {
  if (typeof exactOnly !== 'function') return exactOnly !== false
  try {
    return exactOnly(input as never) !== false
  } catch {
    return true
  }
}
