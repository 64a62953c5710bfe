import type { UIMessage } from 'ai'

/** All that the model has said in a turn, by the messages of its answer. */
export function answerText(answer: readonly UIMessage[]): string {
  const texts = answer.flatMap(({ parts }) =>
    parts.flatMap((part) => (part.type === 'text' && part.text.trim() !== '' ? [part.text] : [])),
  )
  return texts.join('\n\n')
}
