import {
  assentMetadata,
  createMessageEngine,
  httpTransport,
  isToolCallPart,
  toolPlugin,
  type Gate,
  type MessageEngine,
  type MessageEngineOptions,
} from '@assent/engine'
import { useMessage, type UseMessageReturn } from '@assent/vue'
import type { UIDataTypes, UIMessage } from 'ai'
import { onScopeDispose, readonly, ref, shallowRef, watch, type Ref } from 'vue'
import type { KeptConfirmations } from './kept-confirmations.ts'
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
  /** Goes on with the same conversation under another gate. To be used while no turn is open. */
  setGate(gate: Gate): void
  /** Leaves this conversation, stopping what it does, and begins an empty one. */
  startAnew(): void
}

/** Where a conversation begins. */
type Beginning = Pick<MessageEngineOptions<PlaygroundMessage>, 'id' | 'messages' | 'confirmations'>

/**
 * A conversation with the playground's server, whose page tools act on `workspace`.
 *
 * @param kept what was allowed everywhere: each conversation begins with it and adds to it
 */
export function usePlaygroundConversation(
  workspace: NotesWorkspace,
  kept: KeptConfirmations,
): PlaygroundConversation {
  const tools = createWorkspaceTools(workspace)
  const gate = ref<Gate>('step')

  function open(beginning: Beginning): MessageEngine<PlaygroundMessage> {
    return createMessageEngine<PlaygroundMessage>({
      ...beginning,
      transport: httpTransport<PlaygroundMessage>({ api: '/api/chat' }),
      plugins: [
        toolPlugin<typeof tools, PlaygroundMessage>({
          tools,
          toolApproval: workspaceApproval,
          toolOptions,
          announceTools: true,
          gate: gate.value,
        }),
      ],
    })
  }

  const engine = shallowRef(open({ confirmations: kept.records() }))
  const chat = useMessage<PlaygroundMessage>({ engine })

  function keep(): void {
    const { confirmations } = engine.value.getState()
    kept.keep(confirmations, ({ messageId, toolCallId }) => {
      const part = engine.value
        .getMessage(messageId)
        ?.parts.find((one) => isToolCallPart(one) && one.toolCallId === toolCallId)
      return part && isToolCallPart(part) ? assentMetadata(part).summary : undefined
    })
  }
  watch(chat.confirmations, keep)

  function replaceBy(beginning: Beginning): void {
    const former = engine.value
    engine.value = open(beginning)
    former.dispose()
  }
  onScopeDispose(() => engine.value.dispose())

  return {
    chat,
    gate: readonly(gate),
    setGate(next) {
      if (next === gate.value) return
      gate.value = next
      const { messages, confirmations } = engine.value.getState()
      replaceBy({ id: engine.value.id, messages, confirmations })
    },
    startAnew() {
      // What was decided in this very moment is not published yet.
      keep()
      replaceBy({ confirmations: kept.records() })
    },
  }
}
