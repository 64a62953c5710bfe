import type { FlexibleSchema, Tool, ToolExecutionOptions } from 'ai'

/** A tool as {@link defineTools} takes it: what the AI SDK's `tool()` takes, under a name. */
export interface ToolDefinition<INPUT> {
  /** Tells the model when to use the tool. */
  readonly description?: string
  /** A name for people. Default: the tool's name. */
  readonly title?: string
  /** What the model has to give: Zod, any Standard Schema, or JSON Schema by the AI SDK's `jsonSchema()`. */
  readonly inputSchema: FlexibleSchema<INPUT>
  /** What `execute` gives; without `execute`, the type of the output. */
  readonly outputSchema?: FlexibleSchema<unknown>
  /** Runs a call. Without it a person or the app answers: see `submitToolOutput`. */
  readonly execute?: (
    input: INPUT,
    options: ToolExecutionOptions<Record<string, unknown>>,
  ) => unknown
}

type OutputOf<DEFINITION> = DEFINITION extends { outputSchema: FlexibleSchema<infer OUTPUT> }
  ? OUTPUT
  : DEFINITION extends { execute: (...given: never[]) => infer RESULT }
    ? Awaited<RESULT extends AsyncIterable<infer YIELDED> ? YIELDED : RESULT>
    : never

/** The tools of {@link defineTools}, as the AI SDK knows them. */
export type DefinedTools<INPUTS, DEFINITIONS> = {
  [NAME in keyof INPUTS & keyof DEFINITIONS]: Tool<INPUTS[NAME], OutputOf<DEFINITIONS[NAME]>>
}

/**
 * Tools by name, each `execute` typed by its own `inputSchema`. Gives back what it was given: with the
 * AI SDK's `tool()` around each it is the same, without `ai` in the bundle of a page.
 *
 * ```ts
 * const tools = defineTools({
 *   deleteNote: {
 *     description: 'Deletes a note for good.',
 *     inputSchema: z.object({ title: z.string() }),
 *     execute: ({ title }) => notes.delete(title),
 *   },
 * })
 * ```
 *
 * @see https://ai-sdk.dev/docs/ai-sdk-core/tools-and-tool-calling
 */
export function defineTools<INPUTS, DEFINITIONS>(
  tools: DEFINITIONS & { readonly [NAME in keyof INPUTS]: ToolDefinition<INPUTS[NAME]> },
): DefinedTools<INPUTS, DEFINITIONS>
export function defineTools(tools: object): object {
  return tools
}
