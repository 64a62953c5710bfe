import { countPrompt, estimateTokens, type CountTokens } from './estimate-tokens.ts'
import { FilesRefusedError } from './files-refused.ts'
import { fitPrompt, splitPaused } from './fit-prompt.ts'
import type { Prompt } from './prompt.ts'
import { leaveOutFiles, newestFiles, otherFiles, type PromptFile } from './prompt-files.ts'
import { readRefusal } from './read-refusal.ts'

/** Makes a prompt smaller that a model has refused; throws what is to be told where that does not help. */
export type LessOf = (prompt: Prompt, error: unknown) => Prompt

const NOT_TAKEN = 'which this model does not take'

/** Of what a model says that it takes, as an estimate is one. */
const OF_NAMED = 0.75

/**
 * For one request to a model: what it refuses of earlier messages is left out, and where its context is full, the
 * prompt is trimmed once.
 *
 * @param count counts what is trimmed. Default: `estimateTokens`
 */
export function lessOf(count: CountTokens = estimateTokens): LessOf {
  let isTrimmed = false
  return (prompt, error) => {
    const refusal = readRefusal(error)
    if (!refusal) throw error
    if (refusal.type === 'full') {
      const trimmed = isTrimmed ? prompt : trim(prompt, refusal.maxTokens, count)
      if (countPrompt(trimmed, count) >= countPrompt(prompt, count)) throw error
      isTrimmed = true
      return trimmed
    }
    return withoutRefused(prompt, refusal.type === 'files' ? refusal.mediaTypes : undefined, error)
  }
}

/**
 * Half of what was asked with, or what the model named. It depends on nothing that a turn has said since the provider
 * paused it, which so goes on with the very prompt that it was begun with.
 */
function trim(prompt: Prompt, named: number | undefined, count: CountTokens): Prompt {
  const half = countPrompt(splitPaused(prompt).asked, count) / 2
  return fitPrompt(prompt, { maxTokens: Math.min(half, (named ?? Infinity) * OF_NAMED), count })
}

/** @param mediaTypes what the refusal names; `undefined` when it may be about anything else */
function withoutRefused(
  prompt: Prompt,
  mediaTypes: readonly string[] | undefined,
  error: unknown,
): Prompt {
  const isNamed = ({ mediaType }: PromptFile) =>
    mediaTypes?.includes(mediaType.toLowerCase()) ?? false
  const others = otherFiles(prompt)
  const newest = newestFiles(prompt)
  if (others.some(isNamed)) {
    return leaveOutFiles(prompt, (file) => (isNamed(file) ? NOT_TAKEN : undefined))
  }
  if (others.length > 0 && !newest.some(isNamed)) return leaveOutFiles(prompt, () => NOT_TAKEN)
  if (!mediaTypes || newest.length === 0) throw error
  const refused = newest.filter(isNamed)
  throw new FilesRefusedError('model', refused.length > 0 ? refused : newest, { cause: error })
}
