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
  /** How often the page became less high, by more than a line; 0 where nobody looked. */
  readonly shrinks: number
}

/** What the page offers to the process that drives it. */
export interface KitPage {
  /** Milliseconds from mounting a conversation of that many messages until its end is painted. */
  mount(variant: KitVariant, history: number): Promise<number>
  /** Takes the conversation down. */
  close(): void
  /** Begins an answer in the conversation that was mounted. */
  begin(): Promise<void>
  /**
   * Streams 10 KB of Markdown, this many characters per frame. Returns how it was shown.
   *
   * @param looks measures the height at every step, which makes the page lay itself out once more
   */
  stream(step: number, looks: boolean): Promise<Shown>
}

declare global {
  interface Window {
    kit: KitPage
  }
}
