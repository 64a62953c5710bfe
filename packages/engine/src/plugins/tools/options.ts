import type {
  InferToolInput,
  ModelMessage,
  Tool,
  ToolApprovalConfiguration,
  ToolSet,
  UIDataTypes,
  UIMessage,
} from 'ai'
import type { DefaultApproval } from '../../approval/evaluate-approval.ts'
import { isDevelopment } from '../../development.ts'
import { EngineError } from '../../errors.ts'
import { ownOf } from '../../message/own-of.ts'
import { isRecord, isToolRisk, type ToolCallRef, type ToolRisk } from '../../message/tool-part.ts'
import type { ToolPreview } from '../../message/tool-preview.ts'
import type { PluginContext } from '../../plugin.ts'
import type { Redact } from '../../redact.ts'

export { ownOf } from '../../message/own-of.ts'
export type { Redact, RedactContext } from '../../redact.ts'

/** Which calls of a step may start: none before every call is decided, or each by itself. */
export type Gate = 'step' | 'call'

/** A tool call as the plugin's callbacks see it. */
export interface ToolCall extends ToolCallRef {
  readonly toolName: string
  /** What the tool's schema made of the input that the part shows. */
  readonly input: unknown
}

/** What `callTool` is given beside the call. */
export interface CallToolContext {
  /** Aborts with the turn, at the call's timeout, and when the call is cancelled. */
  readonly abortSignal: AbortSignal
  readonly customContext: Readonly<Record<string, unknown>>
}

/** Given to the callbacks about one call. */
export type ToolCallContext<MESSAGE extends UIMessage = UIMessage> = PluginContext<MESSAGE>

/** How a call ended, given to `onToolCallEnd`. */
export interface ToolCallEnd {
  readonly status: 'success' | 'error' | 'timeout' | 'cancelled'
  /** What the tool threw, as it is: `redact` has not seen it. */
  readonly error?: unknown
}

/** What the kit knows about one tool beyond its definition; for tools that run elsewhere too. */
export interface ToolOptions<INPUT = unknown> {
  /** One sentence, in the imperative, that tells a person what this call does. */
  summary?: (input: INPUT) => string
  /**
   * What this call would do, in a form that can be checked at a glance: a diff, a command, a table …
   * Asked for right before a person is, so it may look at how things are now (what the file holds).
   * The card does not wait for it, the pause does.
   */
  preview?: (
    input: INPUT,
    call: { readonly toolCallId: string },
  ) => ToolPreview | undefined | PromiseLike<ToolPreview | undefined>
  /**
   * Shown by icon and word. A tool that says `'read'` runs where no rule says anything. A function says
   * it of one call: that lets nothing run, and one that fails counts as `'destroy'`.
   */
  risk?: ToolRisk | ((input: INPUT) => ToolRisk)
  /**
   * A standing permission covers exactly the input that it was given on, nothing like it: of all calls
   * (`true`), or of those of which the function says so. One that fails says so.
   */
  exactOnly?: boolean | ((input: INPUT) => boolean)
  /** Milliseconds; overrides the plugin's. */
  timeoutMs?: number
  /** Overrides the plugin's. */
  durable?: Durability
  /**
   * Running it twice with the same input and call id is like running it once. With
   * `onInterrupted: 'retry'` it is run again after a crash.
   */
  idempotent?: boolean
  /** What becomes of a call that a crash has interrupted. Overrides the plugin's. */
  onInterrupted?: OnInterrupted
  /**
   * Looks whether an interrupted call took effect, for `onInterrupted: 'verify'`. Without an answer,
   * or when it throws, that stays unknown.
   */
  verify?: (input: INPUT) => Verification | undefined | PromiseLike<Verification | undefined>
  /** Overrides the plugin's: `false` for a tool that is meant to be asked again and again. */
  repeatLimits?: RepeatLimits | false
  /** Which end of a long output is kept: `'head'` (default) suits files, `'tail'` commands. */
  keep?: 'head' | 'tail'
  /**
   * Why an output is no success although the tool did not throw, in a few words such as "Exit code 1". They stand
   * in the place of "Done" wherever the call is shown; the model reads the output. What it throws is the call's error.
   */
  failure?: (output: unknown) => string | undefined
}

/**
 * What becomes of a call that the model makes again and again with the same input within one turn, by
 * the so-manieth it is. `Infinity`: never.
 */
export interface RepeatLimits {
  /** From this one on the model is told with the result how often it has made the call. Default 3. */
  readonly warn?: number
  /** From this one on a person is asked, whatever rules and permissions say. Default 5. */
  readonly ask?: number
  /** This one does not run, and the turn ends with the notice `repeated-calls`. Default 8. */
  readonly stop?: number
}

/**
 * Whether a call may run when the engine's store cannot note that it starts: then a crash could make
 * it run twice. `'required'`: it does not, and a person is asked; `'best-effort'`: it does.
 */
export type Durability = 'required' | 'best-effort'

/**
 * What becomes of a call that had started when the page or process ended: an error that says that the
 * outcome is unknown; another run, for tools that are `idempotent`; or what the tool's `verify` says.
 */
export type OnInterrupted = 'error' | 'retry' | 'verify'

/** Whether a call took effect: its output, or that it did not and can run now. */
export type Verification = { readonly output: unknown } | { readonly happened: false }

/** The tools of a message type; `UITools` when it names none. */
type ToolsOf<MESSAGE extends UIMessage> =
  MESSAGE extends UIMessage<unknown, UIDataTypes, infer TOOLS> ? TOOLS : never

type NameOf<
  TOOLS extends ToolSet,
  MESSAGE extends UIMessage,
> = string extends keyof ToolsOf<MESSAGE>
  ? keyof TOOLS & string
  : (keyof TOOLS | keyof ToolsOf<MESSAGE>) & string

type InputOf<
  TOOLS extends ToolSet,
  MESSAGE extends UIMessage,
  NAME extends string,
> = NAME extends keyof TOOLS
  ? InferToolInput<TOOLS[NAME]>
  : NAME extends keyof ToolsOf<MESSAGE>
    ? ToolsOf<MESSAGE>[NAME]['input']
    : unknown

/** {@link ToolOptions} by tool name, typed by the tools and by the message type. */
export type ToolOptionsByName<TOOLS extends ToolSet, MESSAGE extends UIMessage> = {
  [NAME in NameOf<TOOLS, MESSAGE>]?: ToolOptions<InputOf<TOOLS, MESSAGE, NAME>>
}

/** What a tool's {@link ToolOptions} say, whatever its input. */
export type AnyToolOptions = ToolOptions<never>

/** The options of one tool, by an untrusted name. */
export function optionsOf<TOOLS extends ToolSet, MESSAGE extends UIMessage>(
  { toolOptions }: Pick<ToolPluginOptions<TOOLS, MESSAGE>, 'toolOptions'>,
  toolName: string,
): AnyToolOptions {
  return ownOf<AnyToolOptions | undefined>(toolOptions, toolName) ?? {}
}

/** The tool of an untrusted name, if it was given. */
export function toolOf<TOOLS extends ToolSet, MESSAGE extends UIMessage>(
  { tools }: Pick<ToolPluginOptions<TOOLS, MESSAGE>, 'tools'>,
  toolName: string,
): Tool | undefined {
  return ownOf<Tool>(tools, toolName)
}

/** Whether a tool is declared, but nobody executes it: a person or the app answers its calls. */
export function hasNoExecutor<TOOLS extends ToolSet, MESSAGE extends UIMessage>(
  options: Pick<ToolPluginOptions<TOOLS, MESSAGE>, 'tools' | 'callTool'>,
  toolName: string,
): boolean {
  return toolOf(options, toolName) !== undefined && !isRunHere(options, toolName)
}

/** Whether a tool that is declared runs here. */
export function isRunHere<TOOLS extends ToolSet, MESSAGE extends UIMessage>(
  options: Pick<ToolPluginOptions<TOOLS, MESSAGE>, 'tools' | 'callTool'>,
  toolName: string,
): boolean {
  const tool = toolOf(options, toolName)
  return (tool?.execute ?? (tool && options.callTool)) !== undefined
}

/** Options of `toolPlugin`. */
export interface ToolPluginOptions<
  TOOLS extends ToolSet = ToolSet,
  MESSAGE extends UIMessage = UIMessage,
  KNOWN extends string = never,
> {
  /**
   * The tools that are known here. One with `execute` runs here; one that neither has it nor is run
   * by `callTool` is answered by a person or the app, with `submitToolOutput`.
   */
  tools?: TOOLS
  /**
   * Names of tools that live elsewhere, as those of the server do: `toolApproval` and `toolOptions` may
   * name these beside `tools`. Another name is an error (`unknown_tool`), as a typo would take a guard
   * away. Only in production, and with `callTool`, it is reported once, and what no rule names asks.
   */
  knownTools?: readonly (KNOWN | (string & {}))[]
  /** Runs the calls of tools without `execute`. What an async iterable yields is shown as it comes. */
  callTool?: (call: ToolCall, context: CallToolContext) => unknown
  /** As in the AI SDK: a function for all tools, or a status or function per tool. */
  toolApproval?: ToolApprovalConfiguration<TOOLS & { [NAME in NoInfer<KNOWN>]: Tool }, unknown>
  /**
   * What becomes of a call that runs here and about which no rule says anything: there is none, or it
   * answers `undefined` or `'not-applicable'`. A person is asked (`'user-approval'`, the default), it
   * runs (`'approved'`, as in the AI SDK), or it is `'denied'`.
   */
  defaultApproval?: DefaultApproval
  /**
   * Asks a person when it answers `true`; `false` lets the call run unless another rule asks. When it
   * throws, the person is asked and shown why.
   */
  shouldPauseToolCall?: (
    call: ToolCall,
    context: ToolCallContext<MESSAGE>,
  ) => boolean | undefined | PromiseLike<boolean | undefined>
  /** Default `'step'`. */
  gate?: Gate
  /**
   * Default: `'required'` for the calls that a person, a permission or a rule stands for,
   * `'best-effort'` for all others. Of no meaning without the engine's option `storage`.
   */
  durable?: Durability
  /** Default `'error'`. */
  onInterrupted?: OnInterrupted
  /**
   * What becomes of calls that were approved and had not started when the page or process ended:
   * they run (default), or a person is asked again.
   */
  onRestore?: 'run' | 'ask'
  /**
   * Sends name, description and JSON Schema of the tools that run here, or are answered here, with
   * every request.
   */
  announceTools?: boolean
  /** By tool name; tools that run elsewhere too, when the message type knows them. */
  toolOptions?: ToolOptionsByName<TOOLS & { [NAME in NoInfer<KNOWN>]: Tool }, MESSAGE>
  /**
   * Warns, asks and stops when the same call comes again and again in a turn. `false`: never. Default
   * `{ warn: 3, ask: 5, stop: 8 }`.
   */
  repeatLimits?: RepeatLimits | false
  /** Calls that run at the same time. Default: no bound. */
  concurrency?: number
  /** Milliseconds a call may run; waiting for a person does not count. Default 30,000. */
  timeoutMs?: number
  /**
   * Milliseconds that a rule, an input schema or a preview may take. After that a call whose rule does
   * not answer is a person's to decide, one whose schema does not answer has an error as its result,
   * and a card has no preview. `Infinity` for no limit. Default 10,000.
   */
  checkTimeoutMs?: number
  /**
   * Milliseconds that a tool which ignores its abort signal goes on holding its place in
   * `concurrency`. Its result is written at once and what it returns later is dropped. Default 2,000.
   */
  abortGraceMs?: number
  /** Default 2,000. */
  maxOutputLines?: number
  /** UTF-8 bytes. Default 51,200. */
  maxOutputBytes?: number
  /**
   * Masks secrets in outputs and error texts, wherever a tool runs, before they are stored, shown or
   * sent. Given every text in an output by itself, and every key. When it throws, the call has an
   * error in place of its output. See `createRedactor` of `@assent/engine/redaction`.
   */
  redact?: Redact
  /** Makes the `messages` that a tool's `execute` is given; without it they are empty. */
  toModelMessages?: (messages: readonly MESSAGE[]) => ModelMessage[] | PromiseLike<ModelMessage[]>
  /** Passed to `toolApproval` functions. */
  runtimeContext?: unknown
  /** Passed to tools and approval functions by tool name. */
  toolsContext?: Readonly<Record<string, unknown>>
  /** Once per call that runs here, before it does. What it throws is reported, not obeyed. */
  onToolCallStart?: (call: ToolCall, context: ToolCallContext<MESSAGE>) => void | PromiseLike<void>
  /** Once per call that ran here. What it throws is reported, not obeyed. */
  onToolCallEnd?: (
    call: ToolCall,
    context: ToolCallContext<MESSAGE> & ToolCallEnd,
  ) => void | PromiseLike<void>
}

/** Whether what was decided before this engine began is asked about again: anything but `'run'` asks. */
export function asksOnRestore({ onRestore = 'run' }: { readonly onRestore?: unknown }): boolean {
  return onRestore !== 'run'
}

/** Throws `invalid_argument` for a risk that nobody knows: it would guard nothing. */
export function assertRisks({ toolOptions = {} }: { readonly toolOptions?: object }): void {
  for (const [toolName, own] of Object.entries(toolOptions)) {
    const risk: unknown = isRecord(own) ? own['risk'] : undefined
    if (risk === undefined || typeof risk === 'function' || isToolRisk(risk)) continue
    const text =
      isDevelopment && `The risk of "${toolName}" is 'read', 'write', 'send' or 'destroy'.`
    throw new EngineError('invalid_argument', text, { details: { toolName } })
  }
}
