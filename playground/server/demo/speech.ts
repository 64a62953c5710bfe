import type {
  LanguageModelV4FinishReason,
  LanguageModelV4Prompt,
  LanguageModelV4StreamPart,
  LanguageModelV4Usage,
  SharedV4Warning,
} from '@ai-sdk/provider'
import type { Reply } from './skill.ts'

/** A stream part, and how long the model takes to come up with it, in milliseconds. */
export interface SpokenPart {
  readonly part: LanguageModelV4StreamPart
  readonly delayMs: number
}

/** A human reader's speed: 25 to 45 pieces a second. */
const PIECE_MS = { shortest: 22, longest: 40 }
const FIRST_PIECE_MS = 300

/** Utters a reply as the parts of a model's stream, piece by piece. */
export function* speak(
  reply: Reply,
  prompt: LanguageModelV4Prompt,
  warnings: SharedV4Warning[],
): Generator<SpokenPart> {
  const count = { text: 0, reasoning: 0 }
  yield { part: { type: 'stream-start', warnings }, delayMs: 0 }
  let delayMs = FIRST_PIECE_MS
  if (reply.reasoning !== undefined) {
    const id = 'reasoning'
    yield { part: { type: 'reasoning-start', id }, delayMs: 0 }
    for (const delta of piecesOf(reply.reasoning)) {
      yield { part: { type: 'reasoning-delta', id, delta }, delayMs }
      delayMs = pieceDelay(delta, ++count.reasoning)
    }
    yield { part: { type: 'reasoning-end', id }, delayMs: 0 }
  }
  const id = 'text'
  yield { part: { type: 'text-start', id }, delayMs: 0 }
  for (const delta of piecesOf(reply.text)) {
    yield { part: { type: 'text-delta', id, delta }, delayMs }
    delayMs = pieceDelay(delta, ++count.text)
  }
  if (reply.breaksOff !== undefined) {
    yield { part: { type: 'error', error: new Error(reply.breaksOff) }, delayMs }
    yield finish({ unified: 'error', raw: 'error' }, prompt, count)
    return
  }
  yield { part: { type: 'text-end', id }, delayMs: 0 }
  for (const { toolName, input } of reply.calls ?? []) {
    const callId = `call_${crypto.randomUUID()}`
    const json = JSON.stringify(input)
    yield { part: { type: 'tool-input-start', id: callId, toolName }, delayMs }
    for (const delta of piecesOf(json)) {
      delayMs = pieceDelay(delta, ++count.text)
      yield { part: { type: 'tool-input-delta', id: callId, delta }, delayMs }
    }
    yield { part: { type: 'tool-input-end', id: callId }, delayMs: 0 }
    yield {
      part: { type: 'tool-call', toolCallId: callId, toolName, input: json },
      delayMs: 0,
    }
  }
  const reason = reply.calls?.length ? 'tool-calls' : 'stop'
  yield finish({ unified: reason, raw: reason }, prompt, count)
}

/** Splits a text into pieces about the size of a model's tokens; joined, they are the text. */
export function piecesOf(text: string): string[] {
  return text.match(/\s*[^\s]{1,8}|\s+/gu) ?? []
}

/** Varies with the piece, so that the stream is not a metronome, and is the same each time. */
function pieceDelay(piece: string, index: number): number {
  const spread = PIECE_MS.longest - PIECE_MS.shortest
  return PIECE_MS.shortest + ((piece.length * 5 + index * 7) % (spread + 1))
}

function finish(
  finishReason: LanguageModelV4FinishReason,
  prompt: LanguageModelV4Prompt,
  count: { text: number; reasoning: number },
): SpokenPart {
  // As of most tokenizers, about four characters of JSON a token.
  const inputTokens = Math.ceil(JSON.stringify(prompt).length / 4)
  const usage: LanguageModelV4Usage = {
    inputTokens: { total: inputTokens, noCache: inputTokens, cacheRead: 0, cacheWrite: 0 },
    outputTokens: {
      total: count.text + count.reasoning,
      text: count.text,
      reasoning: count.reasoning,
    },
  }
  return { part: { type: 'finish', finishReason, usage }, delayMs: 0 }
}
