import type { UIMessage, UIMessageChunk } from 'ai'
import { isToolCallPart, type ToolCallPart } from '../../src/message/tool-part.ts'
import type { Recording } from './recording.ts'

/** What a chunk met: the state of the part that it is about. */
export type Met =
  | ToolCallPart['state']
  | 'approved'
  | 'disapproved'
  | 'preliminary'
  | 'none'
  | 'streaming'
  | 'present'
  | 'transient'
  | 'any'

type ChunkType = Exclude<UIMessageChunk['type'], `data-${string}`> | 'data-*'

const ANY_CALL: readonly Met[] = [
  'input-streaming',
  'input-available',
  'approval-requested',
  'approved',
  'disapproved',
  'preliminary',
  'output-available',
  'output-error',
  'output-denied',
]

/** Every pair that a valid stream can have. `any`: the chunk is about no part that is there. */
export const POSSIBLE: Readonly<Record<ChunkType, readonly Met[]>> = {
  start: ['any'],
  'message-metadata': ['any'],
  finish: ['any'],
  'start-step': ['any'],
  'finish-step': ['any'],
  'reset-step': ['any'],
  abort: ['any'],
  error: ['any'],
  'text-start': ['none', 'streaming'],
  'text-delta': ['streaming'],
  'text-end': ['streaming'],
  'reasoning-start': ['none', 'streaming'],
  'reasoning-delta': ['streaming'],
  'reasoning-end': ['streaming'],
  custom: ['any'],
  file: ['any'],
  'reasoning-file': ['any'],
  'source-url': ['any'],
  'source-document': ['any'],
  'steering-message': ['any'],
  'data-*': ['none', 'present', 'transient'],
  'tool-input-start': ['none', 'input-streaming'],
  'tool-input-delta': ['input-streaming'],
  'tool-input-available': ['none', 'input-streaming'],
  'tool-input-error': ['none', 'input-streaming', 'input-available'],
  'tool-approval-request': ['input-available', 'approval-requested'],
  'tool-approval-response': ['approval-requested', 'approved', 'disapproved'],
  'tool-output-available': ANY_CALL,
  'tool-output-error': ANY_CALL,
  'tool-output-denied': ANY_CALL,
}

/** Counts which chunk types met which part states. */
export class Encounters {
  readonly #counts = new Map<string, number>()
  readonly #openTexts = new Set<string>()

  /** Counts the chunks of a stream, by the messages of the AI SDK. */
  noteAll({ initial, chunks, expected }: Recording): void {
    this.#openTexts.clear()
    for (const [index, chunk] of chunks.entries()) {
      this.#note(expected[index - 1] ?? initial, chunk)
    }
  }

  #note(before: UIMessage, chunk: UIMessageChunk): void {
    const key = `${chunkType(chunk)} × ${this.#met(before, chunk)}`
    this.#counts.set(key, (this.#counts.get(key) ?? 0) + 1)
    this.#followTexts(chunk)
  }

  /** Possible pairs that never came. */
  get missing(): string[] {
    return possiblePairs().filter((pair) => !this.#counts.has(pair))
  }

  /** Pairs that came and are not in the list of possible ones. */
  get unexpected(): string[] {
    const possible = new Set(possiblePairs())
    return [...this.#counts.keys()].filter((pair) => !possible.has(pair))
  }

  /** The counts, one chunk type per line. */
  toString(): string {
    const lines = Object.entries(POSSIBLE).map(([type, states]) => {
      const counts = states.map((met) => `${met} ${this.#counts.get(`${type} × ${met}`) ?? 0}`)
      return `  ${type.padEnd(24)}${counts.join(' · ')}`
    })
    return lines.join('\n')
  }

  #met(message: UIMessage, chunk: UIMessageChunk): Met {
    switch (chunk.type) {
      case 'text-start':
      case 'reasoning-start':
        return this.#openTexts.has(textKey(chunk)) ? 'streaming' : 'none'
      case 'text-delta':
      case 'text-end':
      case 'reasoning-delta':
      case 'reasoning-end':
        return 'streaming'
      case 'tool-input-start':
      case 'tool-input-delta':
      case 'tool-input-available':
      case 'tool-input-error':
        return stateOf(callOf(currentStep(message), chunk.toolCallId))
      case 'tool-approval-response':
        return stateOf(
          calls(message.parts).find(({ approval }) => approval?.id === chunk.approvalId),
        )
      default:
        if ('toolCallId' in chunk) return stateOf(namedCall(message, chunk.toolCallId))
        return 'data' in chunk ? metData(message, chunk) : 'any'
    }
  }

  #followTexts(chunk: UIMessageChunk): void {
    if (chunk.type === 'text-start' || chunk.type === 'reasoning-start') {
      this.#openTexts.add(textKey(chunk))
    } else if (chunk.type === 'text-end' || chunk.type === 'reasoning-end') {
      this.#openTexts.delete(textKey(chunk))
    } else if (chunk.type === 'reset-step') {
      this.#openTexts.clear()
    }
  }
}

function possiblePairs(): string[] {
  return Object.entries(POSSIBLE).flatMap(([type, states]) =>
    states.map((met) => `${type} × ${met}`),
  )
}

function chunkType({ type }: UIMessageChunk): string {
  return type.startsWith('data-') ? 'data-*' : type
}

function textKey({ type, id }: { type: string; id: string }): string {
  return `${type.startsWith('text') ? 'text' : 'reasoning'} ${id}`
}

function metData(
  message: UIMessage,
  chunk: { type: string; id?: string; transient?: boolean },
): Met {
  if (chunk.transient) return 'transient'
  const isPresent = message.parts.some(
    (part) => part.type === chunk.type && 'id' in part && part.id === chunk.id,
  )
  return chunk.id !== undefined && isPresent ? 'present' : 'none'
}

function stateOf(part: ToolCallPart | undefined): Met {
  if (!part) return 'none'
  if (part.state === 'approval-responded')
    return part.approval.approved ? 'approved' : 'disapproved'
  return part.state === 'output-available' && part.preliminary ? 'preliminary' : part.state
}

function calls(parts: UIMessage['parts']): ToolCallPart[] {
  return parts.filter(isToolCallPart)
}

function callOf(parts: UIMessage['parts'], toolCallId: string): ToolCallPart | undefined {
  return calls(parts).findLast((part) => part.toolCallId === toolCallId)
}

function namedCall(message: UIMessage, toolCallId: string): ToolCallPart | undefined {
  return callOf(currentStep(message), toolCallId) ?? callOf(message.parts, toolCallId)
}

function currentStep({ parts }: UIMessage): UIMessage['parts'] {
  return parts.slice(parts.findLastIndex(({ type }) => type === 'step-start') + 1)
}
