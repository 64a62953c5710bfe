import { tool } from 'ai'
import { z } from 'zod'

export const INSTRUCTIONS =
  'You are the assistant of a small app. Use your tools rather than guess. Some calls are shown to a person, ' +
  'who approves or denies them; respect the reason of a denial.'

/** The tools that servers and workers run; what they do is done, and counted, in another process. */
export function clusterTools(worldUrl: string) {
  return {
    tools: {
      server_time: tool({
        description: 'Tells the current time of the server.',
        inputSchema: z.object({}),
        metadata: { risk: 'read' },
        execute: () => ({
          iso: new Date().toISOString(),
          timeZone: Intl.DateTimeFormat().resolvedOptions().timeZone,
        }),
      }),
      send_report: tool({
        description: 'Sends a report to someone outside of this app. A person is asked first.',
        inputSchema: z.object({
          to: z
            .string()
            .min(1)
            .max(200)
            .describe('A mail address, or the name of a person or team'),
          subject: z.string().min(1).max(200),
          body: z.string().min(1).max(20_000),
        }),
        metadata: { risk: 'send' },
        async execute(report, { abortSignal }) {
          const response = await fetch(`${worldUrl}/reports`, {
            method: 'POST',
            body: JSON.stringify(report),
            ...(abortSignal && { signal: abortSignal }),
          })
          if (!response.ok) throw new Error(`The report was not taken (${response.status}).`)
          const { receipt } = z.object({ receipt: z.string() }).parse(await response.json())
          return {
            receipt,
            to: report.to,
            subject: report.subject,
            sentAt: new Date().toISOString(),
          }
        },
      }),
    },
    toolApproval: {
      server_time: 'approved',
      send_report: { type: 'user-approval', reason: 'It leaves this app.' },
    },
  } as const
}
