import type { TextStreamPart, ToolSet } from 'ai'

/**
 * The metadata of a response's end: why the provider ended it, in its own words, which the stream
 * does not carry otherwise. The engine's continuation plugin goes by it.
 */
export function rawFinishReason({
  part,
}: {
  part: TextStreamPart<ToolSet>
}): { rawFinishReason: string } | undefined {
  return part.type === 'finish' && part.rawFinishReason !== undefined
    ? { rawFinishReason: part.rawFinishReason }
    : undefined
}
