import { exactOnlyByOptions, riskByOptions, type CallGuards } from '@assent/engine'
import type { UIMessageChunk } from 'ai'
import { ownCopy } from '../own-copy.ts'
import { sealedAt } from './approval-seal.ts'

/** A call that a person is asked about. */
export interface AskedCall {
  readonly toolCallId: string
  readonly toolName: string
  readonly input: unknown
}

/** Milliseconds that a question waits for its preview. */
const PREVIEW_MS = 5_000

/** What a person is shown beside a request for approval. */
export interface RequestDescription {
  /** How long a yes is taken, in milliseconds. */
  readonly maxAgeMs: number
  /** Whether what becomes of a yes for this tool is known after a restart, too. */
  readonly hasLedger: (toolName: string) => boolean
  /**
   * What the call would do. When it throws, or takes more than 5 seconds, that is told to `onError`, and
   * nothing is shown.
   */
  readonly previewCall: ((call: AskedCall) => unknown) | undefined
  /** Told before the page is asked about a call. */
  readonly onAsked?: ((call: AskedCall) => Promise<void>) | undefined
  /** What the app says of a tool. */
  readonly optionsOf: (toolName: string) => CallWords
  readonly onError: (error: unknown) => void
}

/** How people are told of the calls of a tool. */
export interface CallWords {
  readonly summary?: ((input: never) => unknown) | undefined
  readonly preview?: ((input: never, call: { readonly toolCallId: string }) => unknown) | undefined
  readonly risk?: CallGuards['risk'] | undefined
  readonly exactOnly?: CallGuards['exactOnly'] | undefined
  readonly failure?: ((output: unknown) => unknown) | undefined
}

/** Tells the page of each call that asks until when a yes is taken, and what the call would do. */
export function describeRequests({
  maxAgeMs,
  hasLedger,
  previewCall,
  onAsked,
  optionsOf,
  onError,
}: RequestDescription): TransformStream<UIMessageChunk, UIMessageChunk> {
  const calls = new Map<string, AskedCall>()
  const inLedger = new Set<string>()
  const summaries = new Map<string, { summary?: string }>()
  const guardsOf = ({ toolName, input }: AskedCall) => {
    const { risk: ofTool, exactOnly: isExact } = optionsOf(toolName)
    const guards = { ...(ofTool && { risk: ofTool }), ...(isExact && { exactOnly: isExact }) }
    const risk = riskByOptions(guards, structuredClone(input))
    const exactOnly = exactOnlyByOptions(guards, structuredClone(input))
    return { ...(risk && { risk }), ...(exactOnly && { exactOnly }) }
  }
  const summaryOf = ({ toolName, input }: AskedCall) => {
    let text: unknown
    try {
      // The input is what the tool's schema describes, or the summary throws.
      text = optionsOf(toolName).summary?.(structuredClone(input) as never)
    } catch (error) {
      onError(error)
    }
    return typeof text === 'string' ? { summary: text } : {}
  }
  const previewOf = async (toolCallId: string): Promise<unknown> => {
    const call = calls.get(toolCallId)
    if (!call) return undefined
    const { preview } = optionsOf(call.toolName)
    if (!previewCall && !preview) return undefined
    // The input is what the tool's schema describes, or the preview throws.
    const make = async () =>
      (await previewCall?.({ ...call, input: ownCopy(call.input) })) ??
      preview?.(ownCopy(call.input) as never, { toolCallId })
    const late = Promise.withResolvers<never>()
    const timer = setTimeout(() => {
      late.reject(new Error(`The preview of ${call.toolName} took more than ${PREVIEW_MS} ms.`))
    }, PREVIEW_MS)
    try {
      return await Promise.race([make(), late.promise])
    } catch (error) {
      onError(error)
      return undefined
    } finally {
      clearTimeout(timer)
    }
  }
  return new TransformStream({
    async transform(chunk, controller) {
      if (chunk.type === 'tool-input-available') {
        const { toolCallId, toolName, input, providerExecuted } = chunk
        const call = { toolCallId, toolName, input }
        calls.set(toolCallId, call)
        const summary = summaryOf(call)
        summaries.set(toolCallId, summary)
        if (providerExecuted !== true && hasLedger(toolName)) inLedger.add(toolCallId)
        const assent = { ...summary, ...guardsOf(call) }
        const isSaid = Object.keys(assent).length > 0
        const toolMetadata = { ...chunk.toolMetadata, assent }
        return controller.enqueue(isSaid ? { ...chunk, toolMetadata } : chunk)
      }
      if (chunk.type !== 'tool-approval-request') return controller.enqueue(chunk)
      const ledger = inLedger.has(chunk.toolCallId) && { ledger: true }
      if (chunk.isAutomatic === true) {
        // Without a signature it runs now, and cannot be sent again.
        const isHeld = ledger && chunk.signature !== undefined
        return controller.enqueue({ ...chunk, ...(isHeld && { approvalDescriptor: ledger }) })
      }
      const preview = await previewOf(chunk.toolCallId)
      const call = calls.get(chunk.toolCallId)
      // What cannot be noted is asked about all the same: it could not be noted that it runs, either.
      if (call) await onAsked?.(call).catch(onError)
      const at = sealedAt(chunk.signature)
      const approvalDescriptor = {
        ...(at !== undefined && { expiresAt: at + maxAgeMs }),
        ...(preview !== undefined && { preview }),
        // Again: a rule or a preview that has tried the call may know more than its words say.
        ...summaries.get(chunk.toolCallId),
        ...(call && guardsOf(call)),
        ...ledger,
      }
      controller.enqueue({ ...chunk, approvalDescriptor })
    },
  })
}
