import { leftOutText } from './named-file.ts'
import { newestUserMessage, type Prompt, type PromptMessage, type PromptResult } from './prompt.ts'

type UserPart = Extract<PromptMessage, { role: 'user' }>['content'][number]
type TextPart = Extract<UserPart, { type: 'text' }>

/** A file of a prompt, wherever it stands. */
export type PromptFile = Extract<UserPart, { type: 'file' }>

/** Why a file is left out, to end a sentence; `undefined` for one that stays. */
export type WhyLeftOut = (file: PromptFile) => string | undefined

/** The files of the newest message of the person. */
export function newestFiles(prompt: Prompt): PromptFile[] {
  const message = prompt[newestUserMessage(prompt)]
  if (message?.role !== 'user') return []
  return message.content.filter((part) => part.type === 'file')
}

/** All others: of earlier messages, of answers, and of results. */
export function otherFiles(prompt: Prompt): PromptFile[] {
  const files: PromptFile[] = []
  leaveOutFiles(prompt, (file) => void files.push(file))
  return files
}

/**
 * The prompt without certain files: a text says that one was there. What the newest message of the
 * person brings stays, as that is what is asked about.
 */
export function leaveOutFiles(prompt: Prompt, why: WhyLeftOut): Prompt {
  const newest = newestUserMessage(prompt)
  return prompt.map((message, index) => (index === newest ? message : withoutFiles(message, why)))
}

/** A message without certain files. */
export function withoutFiles(message: PromptMessage, why: WhyLeftOut): PromptMessage {
  switch (message.role) {
    case 'system':
      return message
    case 'user': {
      const content = message.content.map((part) =>
        part.type === 'file' ? shown(part, why) : part,
      )
      return { ...message, content }
    }
    case 'assistant': {
      const content = message.content.map((part) => {
        if (part.type === 'file') return shown(part, why)
        return part.type === 'tool-result' ? resultWithout(part, why) : part
      })
      return { ...message, content }
    }
    case 'tool': {
      const content = message.content.map((part) =>
        part.type === 'tool-result' ? resultWithout(part, why) : part,
      )
      return { ...message, content }
    }
  }
}

function resultWithout(result: PromptResult, why: WhyLeftOut): PromptResult {
  const { output } = result
  if (output.type !== 'content') return result
  const value = output.value.map((item) => (item.type === 'file' ? shown(item, why) : item))
  return { ...result, output: { ...output, value } }
}

function shown(file: PromptFile, why: WhyLeftOut): PromptFile | TextPart {
  const reason = why(file)
  return reason === undefined ? file : { type: 'text', text: leftOutText(file, reason) }
}
