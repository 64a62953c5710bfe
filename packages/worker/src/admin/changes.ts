/** Word of what is written into stores, by this process or another one. */
export interface Changes {
  /** Calls back soon after something was written; returns how to stop that. What it was is not said. */
  subscribe(listener: () => void): () => void
  /** Aborts when the stores are closed. */
  readonly closed: AbortSignal
}
