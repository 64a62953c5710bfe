import type { PromptMessage, PromptResult } from './prompt.ts'
import type { PromptFile } from './prompt-files.ts'

/** How many tokens a message takes. */
export type CountTokens = (message: PromptMessage) => number

/** Of text and JSON in UTF-8: English has about 4 to a token, code, digits and Chinese about 3. */
const BYTES_PER_TOKEN = 3.5
/** What a message takes beside its contents. */
const PER_MESSAGE = 4
/** An image, whatever its size: providers scale it. */
const PER_IMAGE = 1_600
/** Sound and films have many bytes for little to say, documents fewer. */
const BYTES_PER_TOKEN_OF: ReadonlyMap<string, number> = new Map([
  ['audio', 100],
  ['video', 100],
  ['text', BYTES_PER_TOKEN],
])
const BYTES_PER_TOKEN_OF_DOCUMENTS = 20

/**
 * A cheap estimate of the tokens of a message, rather too many than too few: a token for every 3.5 bytes of text and
 * of JSON, 1,600 for an image and for a file by its address, a token for every 100 bytes of sound and film and
 * for every 20 of another file, and 4 for the message.
 */
export const estimateTokens: CountTokens = (message) => {
  if (message.role === 'system') return PER_MESSAGE + tokensOfText(message.content)
  let tokens = PER_MESSAGE
  for (const part of message.content) {
    switch (part.type) {
      case 'text':
      case 'reasoning':
        tokens += tokensOfText(part.text)
        break
      case 'file':
        tokens += tokensOfFile(part)
        break
      case 'reasoning-file':
        tokens += PER_IMAGE
        break
      case 'tool-call':
        tokens += tokensOfText(part.toolName) + tokensOfJson(part.input)
        break
      case 'tool-result':
        tokens += tokensOfResult(part)
        break
      case 'tool-approval-response':
      case 'custom':
        tokens += PER_MESSAGE
    }
  }
  return tokens
}

/** Of a whole prompt. */
export function countPrompt(prompt: readonly PromptMessage[], count: CountTokens): number {
  return prompt.reduce((sum, message) => sum + count(message), 0)
}

/** What anything takes that is sent as JSON, such as the tools. */
export function tokensOfJson(value: unknown): number {
  return tokensOfText(JSON.stringify(value) ?? '')
}

function tokensOfText(text: string): number {
  return Math.ceil(Buffer.byteLength(text) / BYTES_PER_TOKEN)
}

function tokensOfResult({ output }: PromptResult): number {
  if (output.type !== 'content') return tokensOfJson('value' in output ? output.value : output)
  return output.value.reduce(
    (sum, item) => sum + (item.type === 'file' ? tokensOfFile(item) : tokensOfJson(item)),
    0,
  )
}

function tokensOfFile({ data, mediaType }: PromptFile): number {
  if (data.type === 'text') return tokensOfText(data.text)
  if (data.type !== 'data') return PER_IMAGE
  const [kind = ''] = mediaType.toLowerCase().split('/')
  if (kind === 'image') return PER_IMAGE
  const { data: content } = data
  const bytes = typeof content === 'string' ? (content.length * 3) / 4 : content.byteLength
  return Math.ceil(bytes / (BYTES_PER_TOKEN_OF.get(kind) ?? BYTES_PER_TOKEN_OF_DOCUMENTS))
}
