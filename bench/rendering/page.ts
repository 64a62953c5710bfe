import type { UIMessage, UIMessageChunk } from 'ai'
import { createApp, h, nextTick, type App, type VNode } from 'vue'
import { historyOf } from '../sample-streams.ts'
import { createAnswerPump, ENDING, OPENING, wordDeltas, type AnswerPump } from './answer-pump.ts'
import type { Variant } from './rendering-page.ts'
import BubbleList from './BubbleList.vue'
import StillList from './StillList.vue'
import UseChatList from './UseChatList.vue'
import UseMessageList from './UseMessageList.vue'

interface Opened {
  readonly app: App
  readonly pump: AnswerPump
  readonly sent: Promise<unknown>
  /** Streams the deltas. */
  readonly start: () => Promise<void>
  /** Whether all of the answer is on the page. */
  readonly isComplete: () => boolean
}

let opened: Opened | undefined

window.rendering = {
  async open(variant, history, deltas) {
    const pump = createAnswerPump()
    const messages = historyOf(history)
    const chunks = wordDeltas(deltas)
    const isShown = variant !== 'no chat'
    let sent: Promise<unknown> = Promise.resolve()
    const ready = (send: (text: string) => Promise<unknown>): void => {
      sent = send('Tell me a story')
    }
    const app = createApp({ render: () => listOf(variant, messages, pump, ready) })
    app.mount('#app')
    await pump.load(OPENING)()
    await until(() => !isShown || bubbles().length === history + 2)
    const answer = bubbles().at(-1)
    const length = textOf(chunks).length
    opened = {
      app,
      pump,
      sent,
      start: pump.load(chunks),
      isComplete: () => !isShown || (answer?.textContent?.length ?? 0) >= length,
    }
  },
  async stream() {
    if (!opened) throw new Error('No list is open.')
    await opened.start()
    await until(opened.isComplete)
  },
  async close() {
    if (!opened) throw new Error('No list is open.')
    await opened.pump.load(ENDING)()
    opened.pump.close()
    await opened.sent
    await nextTick()
    const texts = bubbles().map((bubble) => bubble.textContent?.trim() ?? '')
    opened.app.unmount()
    opened = undefined
    return texts
  },
}

function listOf(
  variant: Variant,
  history: UIMessage[],
  { transport }: AnswerPump,
  ready: (send: (text: string) => Promise<unknown>) => void,
): VNode {
  switch (variant) {
    case 'useMessage':
      return h(UseMessageList, { history, transport, ready })
    case 'useMessage, published per chunk':
      return h(UseMessageList, { history, transport, ready, scheduleFrame: publishAtOnce })
    case 'useMessage and AsBubbleList':
      return h(BubbleList, { history, transport, ready })
    case 'useChat':
      return h(UseChatList, { history, transport, ready })
    case 'useChat, throttle 16 ms':
      return h(UseChatList, { history, transport, ready, throttle: 16 })
    case 'no chat':
      return h(StillList, { history, transport, ready })
  }
}

/** Gives up the coalescing: every chunk reaches the page in its own macrotask. */
function publishAtOnce(publish: () => void): () => void {
  let isCancelled = false
  queueMicrotask(() => {
    if (!isCancelled) publish()
  })
  return () => {
    isCancelled = true
  }
}

/** One element per message, whoever renders them. */
function bubbles(): Element[] {
  const items = document.querySelectorAll('#app [data-slot="item"]')
  return [...(items.length > 0 ? items : (document.querySelector('#app > *')?.children ?? []))]
}

function textOf(chunks: readonly UIMessageChunk[]): string {
  return chunks
    .map((chunk) => (chunk.type === 'text-delta' ? chunk.delta : ''))
    .join('')
    .trim()
}

/** Looks once per frame. */
async function until(isReached: () => boolean): Promise<void> {
  for (let frame = 0; !isReached(); frame += 1) {
    if (frame === 600) throw new Error('The page did not show what was streamed.')
    await new Promise(requestAnimationFrame)
  }
}
