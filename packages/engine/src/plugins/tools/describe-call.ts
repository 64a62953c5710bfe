import type { ToolSet, UIMessage } from 'ai'
import { exactOnlyByOptions, riskByOptions, type CallGuards } from '../../approval/call-guards.ts'
import { EngineError, describeThrown } from '../../errors.ts'
import { withChanges } from '../../message/tool-call-draft.ts'
import { type ToolCallEntry, refOf } from '../../message/tool-calls.ts'
import { changeMetadata } from '../../message/tool-part-states.ts'
import {
  assentMetadata,
  isAwaitingApproval,
  isElsewhere,
  previewOf,
  toolNameOf,
} from '../../message/tool-part.ts'
import type { ToolPreview } from '../../message/tool-preview.ts'
import { withinDeadline } from './deadline.ts'
import { toJsonValue } from './limits.ts'
import type { OpenCall, SettleScope } from './open-call.ts'
import { optionsOf, type AnyToolOptions } from './options.ts'
import { copyOfInput, readCall } from './read-call.ts'
import { redactOutput } from './call-result.ts'
import { callNow, changeCall, isUndecided, observe } from './turn-calls.ts'

/**
 * Writes summary, risk and what guards it beside a call, if its tool's options say any. Of a call that runs here the
 * stream says nothing of the kind: a server knows only its own tools.
 *
 * @param copy makes the input that the summary is given
 * @param isAgain asks once more for what depends on the input
 */
export async function describeCall<TOOLS extends ToolSet, MESSAGE extends UIMessage>(
  { options, context }: SettleScope<TOOLS, MESSAGE>,
  entry: ToolCallEntry,
  call: OpenCall,
  copy: () => unknown,
  isAgain?: boolean,
): Promise<void> {
  const { part } = entry
  const toolName = toolNameOf(part)
  const isNew = !call.isDescribed && isUndecided(part)
  const said = assentMetadata(part)
  const known = isNew ? {} : said
  const own: CallGuards & Pick<AnyToolOptions, 'summary'> = optionsOf(options, toolName)
  let { summary, risk, exactOnly } = known
  const isByInput = typeof own.risk === 'function' || typeof own.exactOnly === 'function'
  const isAsked = isByInput ? isAgain || !call.isDescribed : !call.isDescribed && own.summary
  if (isAsked || !isByInput) {
    // For each callback one of its own: what one of them changes, the next must not read.
    let copies: unknown[] = []
    if (isAsked) {
      call.isDescribed = true
      const made = [copy(), copy(), copy()]
      copies = made.some((one) => one instanceof Promise) ? await Promise.all(made) : made
      // The input is what the tool's schema describes, or the summary throws.
      observe(context, () => (summary ??= own.summary?.(copies[0] as never)))
    }
    risk = riskByOptions(own, copies[1]) ?? risk
    exactOnly ||= exactOnlyByOptions(own, copies[2]) || undefined
  }
  const title = isNew ? options.tools?.[toolName]?.title : part.title
  const isSame =
    summary === said.summary &&
    risk === said.risk &&
    exactOnly === said.exactOnly &&
    title === part.title
  if (isSame) return
  changeCall(context, entry, (now) =>
    changeMetadata(withChanges(now, { title }), { summary, risk, exactOnly }),
  )
}

/**
 * Begins to make the preview of a call that waits for a decision, where its tool's options say how and
 * none is there. It is written when it comes, if the call still waits with that input. The card is
 * there before, and can be decided; the pause is told when the preview is there. One that fails or
 * takes too long is reported.
 */
export function previewCall<TOOLS extends ToolSet, MESSAGE extends UIMessage>(
  scope: SettleScope<TOOLS, MESSAGE>,
  entry: ToolCallEntry,
  call: OpenCall,
): void {
  const { options, context, runtime } = scope
  const { part } = entry
  const { preview } = optionsOf(options, toolNameOf(part))
  if (!preview || call.preview || !isAwaitingApproval(part)) return
  if (previewOf(part) !== undefined) return
  call.preview = 'making'
  const write = async () => {
    const made = await makePreview(scope, entry)
    const now = callNow(context, entry)?.part
    const isStill = now && isAwaitingApproval(now) && now.input === part.input
    if (!made || context.abortSignal.aborted || !isStill) return
    changeCall(context, entry, (asking) => changeMetadata(asking, { preview: made }))
  }
  void write()
    .catch((cause: unknown) => {
      const message = `The preview of tool "${toolNameOf(part)}" failed: ${describeThrown(cause)}`
      context.reportError(new EngineError('callback_failed', message, { cause }))
    })
    .finally(() => {
      call.preview = 'made'
      runtime.rouse()
    })
}

/** What the tool's options show of a call, with its secrets masked. */
async function makePreview<TOOLS extends ToolSet, MESSAGE extends UIMessage>(
  scope: SettleScope<TOOLS, MESSAGE>,
  entry: ToolCallEntry,
): Promise<ToolPreview | undefined> {
  const { options } = scope
  const { part } = entry
  const toolName = toolNameOf(part)
  const { preview } = optionsOf(options, toolName)
  const input: unknown = isElsewhere(part)
    ? copyOfInput(part.input)
    : await (await readCall(scope, entry)).copy()
  const question = { type: 'preview', toolName, ...refOf(entry) } as const
  const made = await withinDeadline(scope, question, async () =>
    // The input is what the tool's schema describes, or the preview throws.
    preview?.(input as never, { toolCallId: part.toolCallId }),
  )
  if (!made) return undefined
  // A text of a file may hold a secret as an output may; what is masked keeps its shape.
  const masked = redactOutput(scope, toolName, toJsonValue(made), false, true)
  return masked as ToolPreview
}
