import type { CallBoard, HeldDecision, PendingDecision } from './call-board.ts'

/**
 * Holds a decision back for the time in which it can be taken back. Resolves to whether it is to be
 * sent: not when it was taken back, nor when the call was decided otherwise meanwhile. Nothing was sent
 * before, so whoever reloads the page has decided nothing.
 *
 * @param duration milliseconds
 */
export function holdDecision(
  board: CallBoard,
  key: string,
  pending: PendingDecision,
  duration: number,
): Promise<boolean> {
  return new Promise((resolve) => {
    const isHeld = (): boolean => board.decisions.get(key)?.held === held
    const timer = setTimeout(send, duration)

    function send(): void {
      clearTimeout(timer)
      resolve(isHeld())
    }
    const held: HeldDecision = {
      duration,
      until: Date.now() + duration,
      undo() {
        clearTimeout(timer)
        if (isHeld()) board.decisions.delete(key)
        resolve(false)
      },
      send,
    }
    board.decisions.set(key, { pending, held })
  })
}
