import type {
  EngineStorage,
  MessageEngine,
  MessageEngineOptions,
  ToolPluginOptions,
  TurnRequestOptions,
} from '@assent/engine'
import type { ToolSet, UIMessage } from 'ai'
import { toRaw, toValue, type MaybeRefOrGetter } from 'vue'
import { withToolPlugin } from './message-tools.ts'

/** Options that are functions themselves, so that a getter could not be told from the value. */
type PlainOption = 'generateId' | 'now' | 'scheduleFrame' | 'onData' | 'onError'

type ReactiveOptions<OPTIONS> = {
  [KEY in keyof OPTIONS as KEY extends PlainOption | 'request' ? never : KEY]: MaybeRefOrGetter<
    OPTIONS[KEY]
  >
}

/**
 * The options of an engine that `useMessage` makes and disposes: those of `createMessageEngine`,
 * where every value that is not a function may be a ref or a getter.
 *
 * - `id`, `owner`: when it changes, the engine is disposed and another one made.
 * - `request`: read anew for every request.
 * - `transport`: as a ref or getter, read anew for every request.
 * - All others are read when an engine is made.
 *
 * And those of `toolPlugin`, as plain values: `useMessage` makes that plugin, unless it is among `plugins`.
 * `announceTools` is on where `tools` are given.
 */
export type NewEngineOptions<
  MESSAGE extends UIMessage = UIMessage,
  TOOLS extends ToolSet = ToolSet,
  KNOWN extends string = never,
> = ReactiveOptions<MessageEngineOptions<MESSAGE>> &
  Pick<MessageEngineOptions<MESSAGE>, PlainOption> &
  ToolPluginOptions<TOOLS, MESSAGE, KNOWN> & {
    /** Headers, body and metadata of every request; read anew for each. */
    request?: MaybeRefOrGetter<TurnRequestOptions | undefined>
    engine?: undefined
  }

/** An engine that lives elsewhere: `useMessage` follows it and does not dispose it. */
export interface ExistingEngineOptions<MESSAGE extends UIMessage = UIMessage> {
  /** The engine to follow; as a ref (a `shallowRef`) or getter, the one it holds now. */
  engine: MaybeRefOrGetter<MessageEngine<MESSAGE>>
}

/** What `useMessage` takes; as a whole it may be a ref or a getter too. */
export type UseMessageOptions<
  MESSAGE extends UIMessage = UIMessage,
  TOOLS extends ToolSet = ToolSet,
  KNOWN extends string = never,
> = MaybeRefOrGetter<NewEngineOptions<MESSAGE, TOOLS, KNOWN> | ExistingEngineOptions<MESSAGE>>

/** Every option of the engine by name, so that a new one cannot be forgotten here. */
type EveryOption<MESSAGE extends UIMessage> = {
  [
    KEY in keyof Required<Omit<MessageEngineOptions<MESSAGE>, 'owner'>>
  ]: MessageEngineOptions<MESSAGE>[KEY]
} & Pick<MessageEngineOptions<MESSAGE>, 'owner'>

/**
 * The options as the engine takes them.
 *
 * @param options as they are now, when the engine is made
 * @param readRequest called for every request
 */
export function toEngineOptions<MESSAGE extends UIMessage>(
  options: NewEngineOptions<MESSAGE>,
  readRequest: () => TurnRequestOptions | undefined,
): EveryOption<MESSAGE> {
  return {
    id: toValue(options.id),
    // Proxies of a deep ref in the history would make every read of a message slow.
    messages: toRaw(toValue(options.messages)),
    confirmations: toRaw(toValue(options.confirmations)),
    transport: followTransport(options.transport),
    plugins: withToolPlugin(options, toRaw(toValue(options.plugins))),
    ...toStored(options),
    maxSteps: toValue(options.maxSteps),
    whenBusy: toValue(options.whenBusy),
    requireFinish: toValue(options.requireFinish),
    resend: toValue(options.resend),
    responseTimeoutMs: toValue(options.responseTimeoutMs),
    silenceTimeoutMs: toValue(options.silenceTimeoutMs),
    request: () => readRequest() ?? {},
    generateId: options.generateId,
    now: options.now,
    scheduleFrame: options.scheduleFrame,
    onData: options.onData,
    onError: options.onError,
  }
}

type Transport<MESSAGE extends UIMessage> = MessageEngineOptions<MESSAGE>['transport']

function followTransport<MESSAGE extends UIMessage>(
  transport: MaybeRefOrGetter<Transport<MESSAGE>>,
): Transport<MESSAGE> {
  const current = (): Transport<MESSAGE> => toRaw(toValue(transport))
  if (current() === transport) return transport
  return {
    sendMessages: (request) => current().sendMessages(request),
    reconnectToStream: (request) => current().reconnectToStream(request),
    get resumeStreamIsReplay() {
      return current().resumeStreamIsReplay
    },
  }
}

/** Where a conversation is kept: nowhere, while it should belong to somebody and nobody is known. */
function toStored<MESSAGE extends UIMessage>(
  options: Pick<NewEngineOptions<MESSAGE>, 'storage' | 'owner'>,
): Pick<MessageEngineOptions<MESSAGE>, 'owner'> & { storage: EngineStorage | undefined } {
  const storage = toRaw(toValue(options.storage))
  if (!('owner' in options)) return { storage }
  const owner = toValue(options.owner)
  return owner ? { storage, owner } : { storage: undefined }
}
