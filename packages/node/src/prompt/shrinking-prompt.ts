import { countPrompt, type CountTokens } from './estimate-tokens.ts'
import { openMessages } from './open-calls.ts'
import { newestUserMessage, type Prompt, type PromptMessage } from './prompt.ts'

/** Some messages in a row. */
export interface Stretch {
  readonly from: number
  readonly to: number
}

/** A prompt that is made smaller, with what it takes. */
export class ShrinkingPrompt {
  readonly messages: PromptMessage[]
  readonly #count: CountTokens
  readonly #open: ReadonlySet<PromptMessage>
  #tokens: number

  constructor(prompt: Prompt, count: CountTokens) {
    this.messages = [...prompt]
    this.#open = openMessages(prompt)
    this.#count = count
    this.#tokens = countPrompt(prompt, count)
  }

  get tokens(): number {
    return this.#tokens
  }

  /** Where the newest message of the person stands. */
  get newest(): number {
    return newestUserMessage(this.messages)
  }

  /** Where the last step begins: the last answer, and the results of its calls. */
  get lastStep(): number {
    const last = this.messages.findLastIndex(({ role }) => role === 'assistant')
    return last > this.newest ? last : this.messages.length
  }

  /** Earlier turns, the oldest first. */
  get turns(): Stretch[] {
    const first = this.messages.findIndex(({ role }) => role !== 'system')
    const starts = [...this.messages.entries()]
      .filter(([at, { role }]) => at < this.newest && (at === first || role === 'user'))
      .map(([at]) => at)
    return starts.map((from, index) => ({ from, to: starts[index + 1] ?? this.newest }))
  }

  /** Whether a call in a stretch is under way. */
  isOpen({ from, to }: Stretch): boolean {
    return this.messages.slice(from, to).some((message) => this.#open.has(message))
  }

  /** Puts other messages in the place of some; answers by how many these are fewer. */
  replace({ from, to }: Stretch, messages: readonly PromptMessage[]): number {
    const gone = this.messages.splice(from, to - from, ...messages)
    this.#tokens += countPrompt(messages, this.#count) - countPrompt(gone, this.#count)
    return gone.length - messages.length
  }
}
