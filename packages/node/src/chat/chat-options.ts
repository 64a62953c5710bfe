import type { DefaultApproval, Gate, ToolPreview, ToolRisk } from '@assent/engine'
import type { Redact } from '@assent/engine/redaction'
import type {
  FinishReason,
  InferToolInput,
  Instructions,
  LanguageModel,
  LanguageModelUsage,
  ToolApprovalConfiguration,
  ToolSet,
  UIMessage,
} from 'ai'
import type { AuditLog } from '../audit/audit-log.ts'
import type { AcceptedMedia } from '../prompt/accepted-media.ts'
import type { ContextOptions } from '../prompt/context-options.ts'
import type { AssentDatabase } from '../sqlite/open-database.ts'
import type { ApprovalLedger } from './approval-ledger.ts'
import type { ApprovalSecret } from './approval-secret.ts'
import type { AskedCall } from './describe-requests.ts'
import type { DownloadFunction } from './download-files.ts'
import type { MayDecide } from './may-decide.ts'
import type { ModelSettings } from './model-settings.ts'
import type { RateLimit } from './rate-limit.ts'
import type { OfRequest } from './resolve-for.ts'
import type { StreamStore } from './stream-store.ts'

/** What a request is about; models, tools, rules and hooks are given it. */
export interface ChatContext<USER = unknown> {
  readonly request: Request
  /** `''` when the request named none. */
  readonly chatId: string
  /** What `authorize` answered. */
  readonly user: USER
  readonly messages: readonly UIMessage[]
  /** The body as it came, unchecked but for `id` and `messages`. */
  readonly body: Readonly<Record<string, unknown>>
}

/** How an answer ended. */
export interface AnswerEnd {
  /** `aborted`: it was stopped; `failed`: the model, or a request to it, did. */
  readonly outcome: 'finished' | 'aborted' | 'failed'
  readonly finishReason: FinishReason | undefined
  /** Of all steps. */
  readonly usage: LanguageModelUsage | undefined
}

/** What happened to a call of a tool that runs here. */
export type ToolCallEvent = {
  readonly toolCallId: string
  readonly toolName: string
  readonly input: unknown
} & (
  | { readonly phase: 'start' }
  | { readonly phase: 'end'; readonly output: unknown; readonly durationMs: number }
  | { readonly phase: 'failed'; readonly error: unknown; readonly durationMs: number }
)

/** What is said of the calls of one tool, by its name. */
export type ServerToolOptions<TOOLS extends ToolSet> = {
  readonly [NAME in keyof TOOLS & string]?: {
    /** One sentence that tells a person what the call does. What it throws is told to `onError`. */
    readonly summary?: (input: InferToolInput<TOOLS[NAME]>) => string
    /** What a call that asks would do, for its card. `previewCall` comes first, where it says something. */
    readonly preview?: (
      input: InferToolInput<TOOLS[NAME]>,
      call: { readonly toolCallId: string },
    ) => ToolPreview | undefined | PromiseLike<ToolPreview | undefined>
    readonly risk?: ToolRisk | ((input: InferToolInput<TOOLS[NAME]>) => ToolRisk)
    /** A standing permission covers exactly one input: of all calls, or of those of which it says so. */
    readonly exactOnly?: boolean | ((input: InferToolInput<TOOLS[NAME]>) => boolean)
    /**
     * Why an output is no success although the tool did not throw, in a few words such as "Exit code 1": the page and
     * the audit say so. What it throws is told to `onError`.
     */
    readonly failure?: (output: unknown) => string | undefined
  }
}

/** What `authorize` answers: who sent a request, or that nobody known did. */
export type Authorized<USER> = USER | undefined | null | false

/** Options of `createChatHandler`; the rest are settings of the AI SDK's `streamText`. */
export interface ChatHandlerOptions<
  TOOLS extends ToolSet = ToolSet,
  USER = unknown,
> extends ModelSettings {
  /** The model, or which one to ask for a request. */
  model: OfRequest<LanguageModel, ChatContext<USER>>
  /** The tools of the server. Those without `execute` run in the page. */
  tools?: OfRequest<TOOLS, ChatContext<USER>>
  /**
   * Which calls ask a person. Functions get the {@link ChatContext} as `runtimeContext`. A rule that
   * throws asks. About a call that runs in the page only a denial counts: there the page asks.
   */
  toolApproval?: ToolApprovalConfiguration<NoInfer<TOOLS>, ChatContext<USER>>
  /**
   * Names of tools that are not always there, such as those of the page or of some users: `toolApproval`
   * may name these beside `tools`, and no others. Where `tools` is a function another name fails the
   * request; in production it is reported once, and what no rule names asks.
   */
  knownTools?: readonly string[]
  /**
   * What people are told of calls of these tools, on the card and wherever else they are shown. `risk:
   * 'read'` says that a call runs unasked, as with `metadata: { risk: 'read' }` of the tool.
   */
  toolOptions?: ServerToolOptions<NoInfer<TOOLS>>
  /**
   * What becomes of a call that runs here and about which no rule says anything: a person is asked
   * (`'user-approval'`, the default), it runs (`'approved'`), or it is `'denied'`. `metadata: { risk:
   * 'read' }` of a tool says that it runs.
   */
  defaultApproval?: DefaultApproval
  /** Milliseconds that a rule may take; after that a person is asked. Default 10,000. */
  checkTimeoutMs?: number
  /**
   * What a call that asks would do, as a `ToolPreview` for its card, or anything else that the page
   * knows to show. It is sent beside the question. Where it says nothing, the `preview` of the tool does.
   */
  previewCall?: (call: AskedCall, context: ChatContext<USER>) => unknown
  instructions?: OfRequest<Instructions | undefined, ChatContext<USER>>
  /** When calls that run here may start. Default `'step'`: when every call of the step is decided. */
  gate?: Gate
  /**
   * Fetches the files of messages that the model does not fetch itself, as in the AI SDK's `streamText`:
   * `downloadFiles({ allow })`. Without it nothing is fetched, as pages name these addresses.
   */
  download?: DownloadFunction
  /**
   * Which files messages may have, such as `['image/*', 'application/pdf']`; an empty list: none. A message with
   * another one is refused (415, `files-refused`), and what an earlier message has of these is left out of what the
   * model is told. Default: whatever the model takes.
   */
  acceptedMedia?: OfRequest<AcceptedMedia | undefined, ChatContext<USER>>
  /**
   * How much the model is told in one request: older outputs, files and turns are left out where it is more. Default:
   * all, and less only when the model says that its context is full.
   */
  context?: ContextOptions
  /** How many steps one request may take. Default 10. */
  maxSteps?: number

  /** Where it is mounted. Default `'/api/chat'`. */
  path?: string
  /**
   * Who sent a request. `undefined`, `null` and `false` refuse it (401); a `RequestError` that it throws
   * refuses it otherwise. Without this option everybody on this machine is let in: requests must be sent to a
   * name of it (`localhost`, `127.0.0.1`), and by no page of another site.
   */
  authorize?: (request: Request) => Authorized<USER> | PromiseLike<Authorized<USER>>
  /** Without `authorize`: other names that it is served by, such as `chat.lan` or `chat.lan:3000`. */
  allowedHosts?: readonly string[]
  /**
   * Without `authorize`: origins of other sites whose pages may call it, such as `https://app.example`. Pages of this
   * machine may, on any port.
   */
  allowedOrigins?: readonly string[]
  /**
   * What tells users apart: their conversations, streams and approvals are kept apart by it, and
   * their requests counted. A text that is not empty: any other value fails the request. Default: the
   * user's `id`, or the user, where that is such a text.
   */
  userKey?: (user: USER) => string
  /**
   * Default: 60 requests at once and 120 a minute for each user, or else each address, and for all together
   * whose addresses are not known. `false`: none.
   */
  rateLimit?: RateLimit | false
  /**
   * The address that a request came from, for `rateLimit`. Default: that of the connection, which
   * `toNodeListener` knows; behind a proxy read the header that yours sets.
   */
  addressOf?: (request: Request) => string | undefined
  /** Default 8 MB. */
  maxBodyBytes?: number
  /** How long a body may take to come, in milliseconds. Default 30,000. */
  bodyTimeoutMs?: number
  /** How many messages a conversation may have. Default 2,000. */
  maxMessages?: number
  /**
   * How many parts (texts, calls, files, step marks) its messages may have together. Default 4,000: more
   * in one request would keep others waiting.
   */
  maxParts?: number

  /**
   * Signs requests for approval; at least 16 bytes, the same for all processes. It is required when
   * `NODE_ENV` is `production`; elsewhere the default is a random one, with which approvals end with
   * the process. Of a list the first signs, and what any of them has signed holds: put a new one in
   * front, and take the old one away after `approvalMaxAgeMs`.
   */
  approvalSecret?: ApprovalSecret
  /**
   * Who may decide about a call that asks: it is asked about every yes and no, before that is noted. Anything
   * but `true`, an error, or no answer within `checkTimeoutMs` refuses the decision (403, `may-not-decide`), and
   * the call waits on. With it a user may decide what another one was asked, and who was asked can be read in
   * the question. It needs `authorize`. Default: each user decides what that user was asked, and nobody else does.
   */
  mayDecide?: MayDecide<USER>
  /** How long a person may take to approve. Default 24 hours, in milliseconds. */
  approvalMaxAgeMs?: number
  /**
   * Keeps the ledger of approvals there, so that no call runs twice after a restart either, and pages may
   * send a decision again until it is answered. It, or `ledger`, is required where tools run on the server.
   */
  database?: AssentDatabase
  /**
   * Another ledger of approvals, such as one of several machines; or `'memory'`, which a restart empties:
   * then approvals from before it are asked for anew.
   */
  ledger?: ApprovalLedger | 'memory'
  /**
   * How long an approved call is taken to run without a sign of whoever runs it, in milliseconds; then
   * nobody knows whether it took effect. Default 15,000.
   */
  runLeaseMs?: number

  /** Where streams are kept for those who come back. Default: `memoryStreams()`. */
  streams?: StreamStore
  /**
   * What happens when nobody reads an answer any more: by default it goes on, so that a page that is
   * reloaded finds it, for at most `unreadMs`.
   */
  onDisconnect?: 'continue' | 'abort'
  /** Default 2 minutes, in milliseconds. */
  unreadMs?: number
  /**
   * How long a request waits, in milliseconds, for another page to leave the answer before it, before
   * it is refused (409, to be tried again). Default 4,000: a killed process is known to be gone by then.
   */
  takeOverMs?: number
  /** After how many milliseconds without an event a comment is streamed. Default 15,000. */
  keepAliveMs?: number

  /**
   * Masks the secrets in what the server's tools come to, before page, model and ledger get it: outputs, those on the
   * way, and what they fail with. `false` masks nothing. `onToolCall` is told what was. Default: `createRedactor()`.
   */
  redact?: Redact | false
  /** Notes the calls of the server's tools there, by `auditTools`. */
  audit?: AuditLog
  /** Changes the server's tools before they are used, so as to watch their runs. */
  wrapTools?: (tools: ToolSet, context: ChatContext<USER>) => ToolSet
  /**
   * What a person is told of an error. Default: words of our own, nothing of the provider's. What this
   * answers is sent as it is; `describeModelError` has the provider's words, with secrets masked.
   */
  describeError?: (error: unknown) => string
  /** What it throws, now or later, is ignored, as for all of these. */
  onToolCall?: (event: ToolCallEvent, context: ChatContext<USER>) => void
  onFinish?: (end: AnswerEnd, context: ChatContext<USER>) => void
  /** The original error; without a context when it belongs to no answer that was begun. */
  onError?: (error: unknown, context: ChatContext<USER> | undefined) => void
  /** The clock, in milliseconds since the epoch. */
  now?: () => number
}
