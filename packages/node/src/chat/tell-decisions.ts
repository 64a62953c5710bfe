import { LEDGER_CHUNK, type LedgerAnswer } from '@assent/engine'
import type { UIMessageChunk } from 'ai'

/** Tells the page, between the chunks of an answer, what has become of its decisions. */
export interface DecisionTeller {
  readonly stream: TransformStream<UIMessageChunk, UIMessageChunk>
  /** At once, as a call may take long; never ahead of the answer's `start`. */
  tell(answer: LedgerAnswer): void
  /** The output of a call comes as a whole: what announces it is left out. */
  onWhole(toolCallId: string): void
}

export function createDecisionTeller(): DecisionTeller {
  const waiting: LedgerAnswer[] = []
  const whole = new Set<string>()
  let open: TransformStreamDefaultController<UIMessageChunk> | undefined
  let hasStarted = false
  const sendAll = () => {
    if (!hasStarted) return
    try {
      for (const data of waiting.splice(0)) {
        open?.enqueue({ type: LEDGER_CHUNK, transient: true, data })
      }
    } catch {
      // Nobody reads the answer any more.
      open = undefined
    }
  }
  return {
    stream: new TransformStream({
      start(controller) {
        open = controller
      },
      transform(chunk, controller) {
        const isAhead = chunk.type === 'tool-output-available' && chunk.preliminary === true
        if (isAhead && whole.has(chunk.toolCallId)) return
        controller.enqueue(chunk)
        hasStarted ||= chunk.type === 'start'
        sendAll()
      },
      flush() {
        open = undefined
      },
    }),
    tell(answer) {
      waiting.push(answer)
      sendAll()
    },
    onWhole: (toolCallId) => void whole.add(toolCallId),
  }
}
