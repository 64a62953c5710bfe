import { isDevelopment } from '../development.ts'
import type { UIMessageChunk } from 'ai'
import { invalidChunk } from './chunk.ts'
import { given } from './given.ts'
import { textOf } from './text-of.ts'
import { assentMetadata, isLocalApproval, isToolRisk } from './tool-part.ts'

/**
 * A chunk as far as it may be believed. When a call was decided, by whom, and whether it may start
 * is noted by the engine alone; a server says only what its own tools are like.
 * Throws `stream_invalid` for an approval that passes for one of the engine's own.
 */
export function receivedChunk(chunk: UIMessageChunk): UIMessageChunk {
  if (chunk.type === 'tool-approval-request' && isLocalApproval(chunk.approvalId)) {
    throw invalidChunk(
      chunk,
      isDevelopment && 'Ids of that form are the client’s own. Give the approval another id.',
    )
  }
  if (!('toolMetadata' in chunk) || chunk.toolMetadata?.['assent'] === undefined) return chunk
  const { summary, risk, exactOnly, failure } = assentMetadata(chunk)
  const assent = given({
    summary: textOf(summary),
    risk: isToolRisk(risk) ? risk : undefined,
    exactOnly: exactOnly === true || undefined,
    failure: textOf(failure),
  })
  return { ...chunk, toolMetadata: { ...chunk.toolMetadata, assent } }
}
