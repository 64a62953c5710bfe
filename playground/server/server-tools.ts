import { tool, type ToolApprovalConfiguration } from 'ai'
import { z } from 'zod'
import type { Backups } from './backups.ts'
import type { Outbox } from './outbox.ts'

/** What the server's tools act on. */
export interface ServerWorld {
  outbox: Outbox
  backups: Backups
  now: () => Date
}

/** The tools that run on the server, and which of them ask. */
export type ServerTools = ReturnType<typeof createServerTools>

/**
 * The tools that run on the server. Their `metadata` reaches the page as `toolMetadata` of each
 * call, so that the card knows the risk of a tool that the page knows nothing else about.
 */
export function createServerTools(world: ServerWorld) {
  return {
    server_time: tool({
      description: 'Tells the current time of the server.',
      inputSchema: z.object({}),
      metadata: { risk: 'read' },
      execute: () => ({
        iso: world.now().toISOString(),
        timeZone: Intl.DateTimeFormat().resolvedOptions().timeZone,
      }),
    }),
    send_report: tool({
      description: 'Sends a report to someone outside of this app. A person is asked first.',
      inputSchema: z.object({
        to: z.string().min(1).max(200).describe('A mail address, or the name of a person or team'),
        subject: z.string().min(1).max(200),
        body: z.string().min(1).max(20_000),
      }),
      metadata: { risk: 'send' },
      execute: (input) => {
        const { receipt, to, subject, sentAt } = world.outbox.send(input)
        return { receipt, to, subject, sentAt }
      },
    }),
    delete_backup: tool({
      description: 'Deletes a backup on the server for good. A person is asked first.',
      inputSchema: z.object({
        name: z.string().min(1).max(200).describe('The name of the backup'),
      }),
      metadata: { risk: 'destroy' },
      execute: ({ name }) => {
        const { megabytes } = world.backups.delete(name)
        const remaining = world.backups.list().map((backup) => backup.name)
        return { deleted: name, freedMegabytes: megabytes, remaining }
      },
    }),
  }
}

/** Which calls of these tools ask a person. */
export const serverToolApproval: ToolApprovalConfiguration<ServerTools, unknown> = {
  send_report: ({ to }) => ({
    type: 'user-approval',
    reason: `It leaves this app and goes to ${to}.`,
  }),
  delete_backup: { type: 'user-approval', reason: 'A deleted backup cannot be brought back.' },
}
