import { jsonSchema, tool } from 'ai'

/** Tools of an app, for what infers from them. */
export const tools = {
  delete_file: tool({
    inputSchema: jsonSchema<{ path: string }>({ type: 'object' }),
    outputSchema: jsonSchema<{ freed: number }>({ type: 'object' }),
    execute: () => ({ freed: 1 }),
  }),
  ask_person: tool({
    inputSchema: jsonSchema<{ question: string }>({ type: 'object' }),
    outputSchema: jsonSchema<string>({ type: 'string' }),
  }),
}
