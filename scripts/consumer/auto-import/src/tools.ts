import { jsonSchema, tool } from 'ai'

export const tools = {
  write_note: tool({
    inputSchema: jsonSchema<{ title: string }>({ type: 'object' }),
    outputSchema: jsonSchema<{ length: number }>({ type: 'object' }),
    execute: ({ title }) => ({ length: title.length }),
  }),
  ask_person: tool({
    inputSchema: jsonSchema<{ question: string }>({ type: 'object' }),
    outputSchema: jsonSchema<string>({ type: 'string' }),
  }),
}
