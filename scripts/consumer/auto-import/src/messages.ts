import type { InferUITools, UIMessage } from 'ai'
import type { tools } from './tools'

export type MyMessage = UIMessage<
  { model: string },
  { weather: { degrees: number } },
  InferUITools<typeof tools>
>
