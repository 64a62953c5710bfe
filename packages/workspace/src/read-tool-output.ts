import { z } from 'zod'
import { ALLOWED, type ToolKit, type WorkspaceTool } from './tool-kit.ts'

const inputSchema = z.object({
  output: z
    .string()
    .regex(/^[0-9a-f]{12}$/)
    .optional()
    .describe('Which output, as its notice says. Default: the latest one that was cut.'),
  offset: z.number().int().min(0).describe('The first byte that is wanted, from 0.'),
})

export type ReadToolOutputInput = z.infer<typeof inputSchema>

/** Reads on in an output that was cut. */
export function readToolOutputTool(kit: ToolKit): WorkspaceTool<ReadToolOutputInput> {
  return {
    description: 'Reads on in an output that was cut, from a byte offset.',
    inputSchema,
    clear: () => ALLOWED,
    execute: ({ output, offset }) => kit.outputs.read(output, offset),
    options: {
      risk: 'read',
      keep: 'head',
      idempotent: true,
      summary: ({ offset }) => `Read an output from byte ${offset}`,
    },
  }
}
