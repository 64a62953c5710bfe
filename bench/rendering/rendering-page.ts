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
  /** Mounts a list of that many messages, streams the start of an answer, makes deltas ready. */
  open(variant: Variant, history: number, deltas: number): Promise<void>
  /** Streams the deltas, one per macrotask; resolves when the last of them is on the page. */
  stream(): Promise<void>
  /** Ends the answer and takes the list down; returns the text of each bubble. */
  close(): Promise<string[]>
}

declare global {
  interface Window {
    rendering: RenderingPage
  }
}
