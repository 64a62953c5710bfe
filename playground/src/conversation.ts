import { httpTransport, toolPlugin, type Gate } from '@assent/engine'
import { useMessage, type UseMessageReturn } from '@assent/vue'
import type { UIDataTypes, UIMessage } from 'ai'
import { readonly, ref, shallowRef, type Ref } from 'vue'
import type { NotesWorkspace } from './workspace/notes.ts'
import { toolOptions, type PlaygroundUITools } from './workspace/tool-options.ts'
import { createWorkspaceTools, workspaceApproval } from './workspace/tools.ts'

/** A message of the playground: its parts know the tools of the page and of the server. */
export type PlaygroundMessage = UIMessage<unknown, UIDataTypes, PlaygroundUITools>

/** The playground's conversation and what can be changed about it. */
export interface PlaygroundConversation {
  readonly chat: UseMessageReturn<PlaygroundMessage>
  /** When the approved calls of a step may start. */
  readonly gate: Readonly<Ref<Gate>>
  /** Goes on with the same messages under another gate. To be used while no turn is open. */
  setGate(gate: Gate): void
  /** Leaves this conversation, stopping what it does, and begins an empty one. */
  startAnew(): void
}

/** A conversation with the playground's server, whose page tools act on `workspace`. */
export function usePlaygroundConversation(workspace: NotesWorkspace): PlaygroundConversation {
  const tools = createWorkspaceTools(workspace)
  const gate = ref<Gate>('step')
  let opened = 0
  const open = (messages: readonly PlaygroundMessage[]) => ({
    id: `playground-${++opened}`,
    messages,
  })
  const session = shallowRef(open([]))

  const chat = useMessage<PlaygroundMessage>({
    id: () => session.value.id,
    messages: () => session.value.messages,
    transport: httpTransport<PlaygroundMessage>({ api: '/api/chat' }),
    plugins: () => [
      toolPlugin<typeof tools, PlaygroundMessage>({
        tools,
        toolApproval: workspaceApproval,
        toolOptions,
        announceTools: true,
        gate: gate.value,
      }),
    ],
  })

  return {
    chat,
    gate: readonly(gate),
    setGate(next) {
      if (next === gate.value) return
      gate.value = next
      session.value = open(chat.messages.value)
    },
    startAnew() {
      session.value = open([])
    },
  }
}
