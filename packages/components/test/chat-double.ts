import type {
  CancelToolCallPayload,
  CommandResult,
  DraftSubject,
  EngineError,
  EngineState,
  MessageEngine,
  ResumeToolCallPayload,
  SubmitToolOutputPayload,
} from '@assent/engine'
import type { UseMessageReturn } from '@assent/vue'
import type { JSONValue, UIMessage } from 'ai'
import { computed, shallowRef, type ShallowRef } from 'vue'

/** A call of a method of the conversation, as the components made it. */
export interface RecordedCall {
  method: string
  args: readonly unknown[]
}

/** The payload of any command about one call. */
export type CallPayload = ResumeToolCallPayload & SubmitToolOutputPayload & CancelToolCallPayload

/** What a command comes to. */
export type RunCommand = (
  payload: CallPayload,
  command: string,
) => Promise<CommandResult> | CommandResult

/** A conversation that is what a test says it is. */
export interface ChatDouble<MESSAGE extends UIMessage = UIMessage> {
  chat: UseMessageReturn<MESSAGE>
  calls: RecordedCall[]
  /** Changes the snapshot beside the messages. */
  set(change: Partial<Omit<EngineState<MESSAGE>, 'messages' | 'messageIds'>>): void
  /** Adds a message, or replaces the one of its id. */
  put(message: MESSAGE): void
  /** Puts older messages above the others. */
  prepend(messages: readonly MESSAGE[]): void
  /** Makes one message out of the former. */
  change(messageId: string, make: (message: MESSAGE) => MESSAGE): void
  /** What the next commands come to; by default they succeed. */
  onCommand(run: RunCommand): void
  /** What `readInputSchema` comes to; by default no schema is known. */
  answerSchema(result: CommandResult): void
}

/** Messages and state by hand, for what a real engine would repair or pass through too fast. */
export function createChatDouble<MESSAGE extends UIMessage = UIMessage>(
  initial: Partial<EngineState<MESSAGE>> & { messages?: readonly MESSAGE[] } = {},
): ChatDouble<MESSAGE> {
  const calls: RecordedCall[] = []
  const sources = new Map<string, ShallowRef<MESSAGE | undefined>>()
  const ids = shallowRef<readonly string[]>([])
  const rest = shallowRef<Omit<EngineState<MESSAGE>, 'messages' | 'messageIds'>>({
    requestState: 'idle',
    processingState: undefined,
    error: undefined,
    turn: undefined,
    queue: [],
    confirmations: [],
    drafts: [],
    ...initial,
  })
  let schema: CommandResult = { success: true, result: {} }
  let run: RunCommand = () => ({ success: true, result: undefined })

  function sourceOf(id: string): ShallowRef<MESSAGE | undefined> {
    const known = sources.get(id)
    if (known) return known
    const source = shallowRef<MESSAGE>()
    sources.set(id, source)
    return source
  }

  function put(message: MESSAGE): void {
    sourceOf(message.id).value = message
    if (!ids.value.includes(message.id)) ids.value = [...ids.value, message.id]
  }

  for (const message of initial.messages ?? []) put(message)

  const messages = computed(() =>
    ids.value.flatMap((id) => {
      const message = sourceOf(id).value
      return message ? [message] : []
    }),
  )
  const state = computed(() => ({
    ...rest.value,
    messages: messages.value,
    messageIds: ids.value,
  }))

  function record<ARGS extends readonly unknown[], RESULT>(
    method: string,
    result: (...args: ARGS) => RESULT,
  ): (...args: ARGS) => RESULT {
    return (...args) => {
      calls.push({ method, args })
      return result(...args)
    }
  }

  const outcome = async () => ({ turnId: 'turn', requestState: rest.value.requestState })
  const chat = {
    engine: shallowRef<MessageEngine<MESSAGE>>() as ShallowRef<MessageEngine<MESSAGE>>,
    id: computed(() => 'chat'),
    messages,
    messageIds: ids,
    message: sourceOf,
    state,
    requestState: computed(() => rest.value.requestState),
    processingState: computed(() => rest.value.processingState),
    isProcessing: computed(() => rest.value.requestState === 'processing'),
    isPaused: computed(() => rest.value.requestState === 'paused'),
    error: computed((): EngineError | undefined => rest.value.error),
    turn: computed(() => rest.value.turn),
    queue: computed(() => rest.value.queue),
    confirmations: computed(() => rest.value.confirmations),
    drafts: computed(() => rest.value.drafts),
    earlier: computed(() => rest.value.earlier),
    sendMessage: record('sendMessage', outcome),
    regenerate: record('regenerate', outcome),
    editMessage: record('editMessage', outcome),
    retry: record('retry', outcome),
    reconnect: record('reconnect', outcome),
    abort: record('abort', async () => {}),
    stopAll: record('stopAll', async () => {}),
    loadEarlier: record('loadEarlier', async () => {}),
    setMessages: record('setMessages', () => {}),
    editQueued: record('editQueued', () => {}),
    removeQueued: record('removeQueued', () => {}),
    sendQueued: record('sendQueued', () => {}),
    moveQueued: record('moveQueued', () => {}),
    holdQueued: record('holdQueued', () => {}),
    setDraft: record('setDraft', (key: string, value?: JSONValue, about?: DraftSubject) => {
      const others = rest.value.drafts.filter((draft) => draft.key !== key)
      const draft = value === undefined ? [] : [{ key, value, ...(about && { about }) }]
      rest.value = { ...rest.value, drafts: [...others, ...draft] }
    }),
    runPluginCommand: record(
      'runPluginCommand',
      async (_plugin: string, command: string, payload?: unknown) =>
        command === 'readInputSchema' ? schema : run(payload as CallPayload, command),
    ) as UseMessageReturn<MESSAGE>['runPluginCommand'],
    approve: notByName,
    deny: notByName,
    always: notByName,
    settled: async () => rest.value.requestState,
  } satisfies UseMessageReturn<MESSAGE>

  return {
    chat,
    calls,
    set(change) {
      rest.value = { ...rest.value, ...change }
    },
    put,
    prepend(older) {
      for (const message of older) sourceOf(message.id).value = message
      ids.value = [...older.map(({ id }) => id), ...ids.value]
    },
    change(messageId, make) {
      const source = sourceOf(messageId)
      if (source.value) source.value = make(source.value)
    },
    onCommand(next) {
      run = next
    },
    answerSchema(result) {
      schema = result
    },
  }
}

const notByName = (): never => {
  throw new Error('The components decide by commands.')
}
