/** Who shows the conversation: the kit, as it is or with far messages left out, or a plain list. */
export const KIT_VARIANTS = ['AsChat', 'AsChat, virtual', 'useChat, plain v-for'] as const

export type KitVariant = (typeof KIT_VARIANTS)[number]

/** How an answer was shown. */
export interface Shown {
  /** Frames from the first token to the last. */
  readonly frames: number
  /** The middle one of the times between two frames, and the 95th of 100, in milliseconds. */
  readonly medianFrame: number
  readonly slowFrame: number
}

/** What was seen by looking at the page after every token, which costs time itself. */
export interface Seen {
  readonly tokens: number
  /** How often the list was rendered, and bubbles, from the first token to the last. */
  readonly listRenders: number
  readonly bubbleRenders: number
  /** Elements of finished blocks that were not the same any more when the next token was there. */
  readonly replacedBlocks: number
  /** How often the page became less high, by more than a line. */
  readonly shrinks: number
}

/** What the page offers to the process that drives it. */
export interface KitPage {
  /**
   * Milliseconds from mounting a conversation of that many messages until its end is laid out.
   *
   * @param counts makes the page count renders, for {@link KitPage.look}
   */
  mount(variant: KitVariant, history: number, counts?: boolean): Promise<number>
  /** Takes the conversation down. */
  close(): void
  /** Begins an answer in the conversation that was mounted. */
  begin(): Promise<void>
  /** Streams 10 KB of Markdown, this many characters per frame. */
  stream(step: number): Promise<Shown>
  /** The same, looking at the page after every token. */
  look(step: number): Promise<Seen>
}

declare global {
  interface Window {
    kit: KitPage
  }
}
