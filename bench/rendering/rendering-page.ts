/** Who reads the stream and renders the list; `no chat` shows the history and drops the chunks. */
export const VARIANTS = [
  'useMessage',
  'useMessage, published per chunk',
  'useMessage and AsBubbleList',
  'useChat',
  'useChat, throttle 16 ms',
  'no chat',
] as const

export type Variant = (typeof VARIANTS)[number]

/** What the page offers to the process that drives it. */
export interface RenderingPage {
  /** Mounts a list of that many messages and streams the start of an answer. */
  open(variant: Variant, history: number): Promise<void>
  /** Streams deltas, one per macrotask; resolves when the last of them is on the page. */
  stream(deltas: number): Promise<void>
  /** Ends the answer and takes the list down; returns the text of each bubble. */
  close(): Promise<string[]>
}

declare global {
  interface Window {
    rendering: RenderingPage
  }
}
