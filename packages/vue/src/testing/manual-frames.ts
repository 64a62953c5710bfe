/** Frames that a test lets pass by hand. */
export interface ManualFrames {
  /** Pass it as the option of the same name. */
  readonly scheduleFrame: (publish: () => void) => () => void
  /** Whether a publication waits for its frame. */
  isWaiting(): boolean
  /** Waits until a publication is asked for, and lets its frame pass. */
  next(): Promise<void>
}

export function manualFrames(): ManualFrames {
  let waiting: (() => void) | undefined
  let wake = (): void => {}
  return {
    scheduleFrame(publish) {
      waiting = publish
      wake()
      return () => {
        if (waiting === publish) waiting = undefined
      }
    },
    isWaiting: () => waiting !== undefined,
    async next() {
      if (!waiting) {
        await new Promise<void>((resolve) => {
          wake = resolve
        })
      }
      const publish = waiting
      waiting = undefined
      publish?.()
    },
  }
}
