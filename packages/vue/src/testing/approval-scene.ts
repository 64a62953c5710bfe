import { toolPlugin, type ToolPluginOptions } from '@assent/engine'
import { callTools, scriptedTransport, type ScriptedTransport } from '@assent/engine/testing'
import { effectScope, type EffectScope } from 'vue'
import { z } from 'zod'
import { useApprovals, type UseApprovalsReturn } from '../use-approvals.ts'
import type { NewEngineOptions } from '../use-message-options.ts'
import { useMessage, type UseMessageReturn } from '../use-message.ts'

/** A conversation whose tools ask, and its approvals. */
export interface ApprovalScene {
  readonly chat: UseMessageReturn
  readonly approvals: UseApprovalsReturn
  readonly transport: ScriptedTransport
  readonly scope: EffectScope
  /** What the tools did, in order: the names of the files. */
  readonly effects: string[]
}

/** Options of {@link approvalScene}. */
export interface ApprovalSceneOptions {
  /** What the model answers, request by request. */
  script: Parameters<typeof scriptedTransport>[0]
  plugin?: Partial<ToolPluginOptions>
  engine?: Omit<NewEngineOptions, 'transport' | 'plugins'>
}

/** A conversation with tools that write, wipe, list and ask; all but the list ask first. */
export function approvalScene({ script, plugin, engine }: ApprovalSceneOptions): ApprovalScene {
  const effects: string[] = []
  const scope = effectScope()
  const transport = scriptedTransport(script)
  const file = z.object({ file: z.string() })
  const act = {
    inputSchema: file,
    execute: (input: z.infer<typeof file>) => {
      effects.push(input.file)
      return `did ${input.file}`
    },
  }
  const parts = scope.run(() => {
    const chat = useMessage({
      onError: () => {},
      ...engine,
      transport,
      plugins: [
        toolPlugin({
          tools: { write: act, wipe: act, list: act, question: { inputSchema: file } },
          defaultApproval: 'approved',
          // Where a test has tools of its own.
          knownTools: ['write', 'wipe'],
          toolApproval: {
            write: { type: 'user-approval', reason: 'It writes.' },
            wipe: 'user-approval',
          },
          toolOptions: {
            write: {
              summary: ({ file: name }: { file: string }) => `Write ${name}`,
              risk: 'write',
            },
            wipe: { risk: 'destroy' },
          },
          ...plugin,
        }),
      ],
    })
    return { chat, approvals: useApprovals(chat) }
  })
  if (!parts) throw new Error('The scope is not active.')
  return { ...parts, transport, scope, effects }
}

/** An answer that calls these, as `write:a.txt`; the call ids are these texts too. */
export function calls(...names: readonly string[]): ReturnType<typeof callTools> {
  return callTools(
    names.map((name) => {
      const [toolName = '', file = ''] = name.split(':')
      return { toolCallId: name, toolName, input: { file } }
    }),
  )
}
