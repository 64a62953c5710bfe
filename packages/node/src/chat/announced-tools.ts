import { jsonSchema, tool, type ToolSet } from 'ai'
import { z } from 'zod'
import { fieldText } from './field-text.ts'
import { RequestError } from './request-error.ts'

const MAX_TOOLS = 64
const MAX_SCHEMA_BYTES = 32_768

const announcedTools = z.array(
  z.object({
    name: z
      .string()
      .regex(/^[a-zA-Z][a-zA-Z0-9_-]{0,63}$/, 'must be 1 to 64 letters, digits, "_" or "-"'),
    description: z.string().max(4000).optional(),
    inputSchema: z
      .looseObject({ type: z.literal('object') })
      .refine(
        (schema) => Buffer.byteLength(JSON.stringify(schema)) <= MAX_SCHEMA_BYTES,
        `must be at most ${MAX_SCHEMA_BYTES} bytes of JSON`,
      ),
  }),
)

/**
 * The tools that a page announced, as tools without `execute`: their calls go back to the page.
 *
 * @param value the `tools` of the request's body: `[{ name, description?, inputSchema }]`
 * @param taken names that the server keeps for its own tools; announced ones of these are left out
 * @throws RequestError (400) that says what is wrong with the list
 */
export function readAnnouncedTools(value: unknown, taken: ReadonlySet<string>): ToolSet {
  if (value === undefined || value === null) return {}
  // Before each of them is looked at.
  if (Array.isArray(value) && value.length > MAX_TOOLS) {
    throw badTools(`tools must have at most ${MAX_TOOLS} items.`)
  }
  const result = announcedTools.safeParse(value)
  if (!result.success) {
    throw badTools(fieldText('tools', result.error.issues[0]))
  }
  const names = new Set<string>()
  for (const { name } of result.data) {
    if (names.has(name)) throw badTools(`tools must have each name once, and has "${name}" twice.`)
    names.add(name)
  }
  // From entries, so that no name, "constructor" included, meets what objects inherit.
  return Object.fromEntries(
    result.data
      .filter(({ name }) => !taken.has(name))
      .map(({ name, description, inputSchema }) => [
        name,
        tool({ description, inputSchema: jsonSchema(inputSchema) }),
      ]),
  )
}

function badTools(message: string): RequestError {
  return new RequestError(400, 'bad-tools', message)
}
