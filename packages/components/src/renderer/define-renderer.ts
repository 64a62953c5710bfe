import type { ToolCallPart } from '@assent/engine'
import type { DynamicToolUIPart, InferUITools, ToolSet, ToolUIPart, UIMessage } from 'ai'
import type { Component, VNodeChild } from 'vue'
import type { PartSlotProps } from '../bubble/bubble-types.ts'
import type { ToolCallSlotProps } from '../tool-call/tool-call-types.ts'
import type { Renderer } from './renderer.ts'

/** What says which tools there are: the tools themselves, or a message type that names them. */
export type ToolSource = ToolSet | UIMessage

type PartOf<MESSAGE extends UIMessage> = MESSAGE['parts'][number]
type ToolTypeOf<MESSAGE extends UIMessage> = Extract<
  PartOf<MESSAGE>,
  { type: `tool-${string}` }
>['type']

type ToolName<SOURCE extends ToolSource> = SOURCE extends UIMessage
  ? ToolTypeOf<SOURCE> extends `tool-${infer NAME}`
    ? NAME
    : never
  : keyof SOURCE & string

type ToolPart<SOURCE extends ToolSource, NAME extends string> = SOURCE extends UIMessage
  ? Extract<PartOf<SOURCE>, { type: `tool-${NAME}` }>
  : SOURCE extends ToolSet
    ? ToolUIPart<Pick<InferUITools<SOURCE>, NAME & keyof InferUITools<SOURCE>>>
    : never

type PlainType<MESSAGE extends UIMessage> = Exclude<
  PartOf<MESSAGE>,
  ToolCallPart | { type: 'step-start' }
>['type']

/**
 * A call of one tool with what can be done to it: the prop `call` of a component that draws it.
 *
 * @typeParam SOURCE `typeof tools`, or the app's own message type
 */
export type RenderedCall<SOURCE extends ToolSource, NAME extends ToolName<SOURCE>> =
  ToolPart<SOURCE, NAME> extends infer PART extends ToolCallPart ? ToolCallSlotProps<PART> : never

/** What a component that draws the parts of one type is given. */
export type RenderedPart<
  MESSAGE extends UIMessage,
  TYPE extends PlainType<MESSAGE>,
> = PartSlotProps<Extract<PartOf<MESSAGE>, { type: TYPE }>, MESSAGE>

/** A component made of options or of a single file, if the props that it takes can be given to it. */
type Takes<TAKEN, GIVEN> = (new (...args: never[]) => { $props: TAKEN }) &
  (GIVEN extends TAKEN ? Component : never)

/** Names a tool, and what draws its calls: a function, or a component that takes the prop `call`. */
export interface DefineToolRenderer<SOURCE extends ToolSource> {
  <NAME extends ToolName<SOURCE>>(
    toolName: NAME,
    component: (props: { call: RenderedCall<SOURCE, NAME> }) => VNodeChild,
  ): Renderer
  <NAME extends ToolName<SOURCE>, TAKEN>(
    toolName: NAME,
    component: Takes<TAKEN, { call: RenderedCall<SOURCE, NAME> }>,
  ): Renderer
}

/** Names a type of part, and what draws it: a function, or a component. */
export interface DefinePartRenderer<MESSAGE extends UIMessage> {
  <TYPE extends PlainType<MESSAGE>>(
    type: TYPE,
    component: (props: RenderedPart<MESSAGE, TYPE>) => VNodeChild,
  ): Renderer
  <TYPE extends PlainType<MESSAGE>, TAKEN>(
    type: TYPE,
    component: Takes<TAKEN, RenderedPart<MESSAGE, TYPE>>,
  ): Renderer
}

/**
 * Draws the calls of one tool by a component of the app. Its only prop is `call`: the part with the
 * input and output of that tool, and `approve`, `deny`, `submit` and `cancel`. For the option
 * `renderers` of `AsConfigProvider` and `app.use`; a slot `#tool-<name>` is stronger.
 *
 * ```ts
 * const editFile = defineToolRenderer<typeof tools>()('edit_file', EditFile)
 * ```
 *
 * @typeParam SOURCE `typeof tools`, or the app's own message type
 */
export function defineToolRenderer<
  SOURCE extends ToolSource = UIMessage,
>(): DefineToolRenderer<SOURCE> {
  return (toolName: string, component: Component) => ({ type: `tool-${toolName}`, component })
}

/**
 * Draws the calls of a tool that is known by name only, such as one of an MCP server. Its prop `call`
 * has input and output of any kind.
 */
export function defineDynamicToolRenderer(
  toolName: string,
  component: Component<{ call: ToolCallSlotProps<DynamicToolUIPart> }>,
): Renderer {
  return { type: `dynamic-tool ${toolName}`, component }
}

/**
 * Draws the parts of one type by a component of the app: `data-<name>`, `text`, … Its props are those
 * of the slot `#part-<type>`. For the option `renderers`; a slot is stronger.
 *
 * @typeParam MESSAGE the app's own message type
 */
export function definePartRenderer<
  MESSAGE extends UIMessage = UIMessage,
>(): DefinePartRenderer<MESSAGE> {
  return (type: string, component: Component) => ({ type, component })
}
