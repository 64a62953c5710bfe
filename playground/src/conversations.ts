import { httpTransport, toolPlugin, type Gate } from '@assent/engine'
import { useConversations, type UseConversationsReturn } from '@assent/vue/conversations'
import { useEventListener } from '@vueuse/core'
import type { UIDataTypes, UIMessage } from 'ai'
import { readonly, ref, watch, type Ref } from 'vue'
import { openConversationStore } from './conversation-store.ts'
import { stopOnServer } from './stop-on-server.ts'
import { takeUpAnswers } from './take-up-answers.ts'
import type { NotesWorkspace } from './workspace/notes.ts'
import {
  createToolOptions,
  toolsOfServer,
  type PlaygroundUITools,
  type PreviewSources,
} from './workspace/tool-options.ts'
import { createWorkspaceTools, workspaceApproval } from './workspace/tools.ts'

/** A message of the playground: its parts know the tools of the page and of the server. */
export type PlaygroundMessage = UIMessage<unknown, UIDataTypes, PlaygroundUITools>

/** The conversations of this browser and what can be changed about all of them. */
export interface PlaygroundConversations {
  readonly conversations: UseConversationsReturn<PlaygroundMessage>
  /** Whether where they are kept can be reached. */
  readonly isConnected: Readonly<Ref<boolean>>
  /** When the approved calls of a step may start. */
  readonly gate: Readonly<Ref<Gate>>
  /** Goes on with the active conversation under another gate. To be used while no turn is open. */
  setGate(gate: Gate): void
}

/**
 * The conversations with the playground's server, kept there or in this browser. The page tools act on
 * `workspace`, and cards show the server's `backups`. Which one is active is in the address, so that a reload finds it again.
 */
export function usePlaygroundConversations(
  workspace: NotesWorkspace,
  backups: PreviewSources['backups'],
): PlaygroundConversations {
  const tools = createWorkspaceTools(workspace)
  const toolOptions = createToolOptions({ noteOf: workspace.find, backups })
  const gate = ref<Gate>('step')
  const idInAddress = ref(readAddress())
  useEventListener(window, 'hashchange', () => (idInAddress.value = readAddress()))

  const { storage, isConnected } = openConversationStore((id) => void conversations.refresh(id))

  const conversations = useConversations<PlaygroundMessage>({
    storage,
    id: idInAddress,
    engine: () => ({
      transport: httpTransport<PlaygroundMessage>({ api: '/api/chat' }),
      plugins: [
        stopOnServer('/api/chat'),
        toolPlugin<typeof tools, PlaygroundMessage>({
          tools,
          toolApproval: workspaceApproval,
          toolOptions,
          knownTools: toolsOfServer,
          announceTools: true,
          gate: gate.value,
        }),
      ],
    }),
  })

  takeUpAnswers(conversations.chat)

  watch(
    conversations.active,
    (id) => {
      history.replaceState(history.state, '', `#${encodeURIComponent(id)}`)
      idInAddress.value = id
    },
    { immediate: true },
  )
  // Another tab may have changed the list meanwhile.
  useEventListener(document, 'visibilitychange', () => {
    if (document.visibilityState === 'visible') void conversations.refresh()
  })

  return {
    conversations,
    isConnected,
    gate: readonly(gate),
    setGate(next) {
      if (next === gate.value) return
      gate.value = next
      void conversations.reopen()
    },
  }
}

/** The id in the address; what cannot be read is none. */
function readAddress(): string | undefined {
  try {
    return decodeURIComponent(location.hash.slice(1)) || undefined
  } catch {
    return undefined
  }
}
