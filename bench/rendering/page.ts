import type { UIMessage } from 'ai'
import { createApp, h, nextTick, type App, type VNode } from 'vue'
import { historyOf } from '../sample-streams.ts'
import { createAnswerPump, deltaText, type AnswerPump } from './answer-pump.ts'
import type { Variant } from './rendering-page.ts'
import BubbleList from './BubbleList.vue'
import StillList from './StillList.vue'
import UseChatList from './UseChatList.vue'
import UseMessageList from './UseMessageList.vue'

interface Opened {
  readonly app: App
  readonly pump: AnswerPump
  readonly sent: Promise<unknown>
  /** Whether anything is made of the chunks. */
  readonly isShown: boolean
}

let opened: Opened | undefined
let streamed = 0

window.rendering = {
  async open(variant, history) {
    const pump = createAnswerPump()
    const messages = historyOf(history)
    let sent: Promise<unknown> = Promise.resolve()
    const ready = (send: (text: string) => Promise<unknown>): void => {
      sent = send('Tell me a story')
    }
    const app = createApp({ render: () => listOf(variant, messages, pump, ready) })
    app.mount('#app')
    const isShown = variant !== 'no chat'
    opened = { app, pump, sent, isShown }
    streamed = 0
    await pump.begin()
    await until(() => !isShown || bubbles().length === history + 2)
  },
  async stream(deltas) {
    if (!opened) throw new Error('No list is open.')
    await opened.pump.deltas(deltas)
    streamed += deltas
    if (!opened.isShown) return
    const last = deltaText(streamed - 1).trim()
    const list = document.querySelector('#app')?.firstElementChild
    await until(() => list?.lastElementChild?.textContent?.trim().endsWith(last) ?? false)
  },
  async close() {
    await opened?.pump.finish()
    await opened?.sent
    await nextTick()
    const text = bubbles().map((bubble) => bubble.textContent?.trim() ?? '')
    opened?.app.unmount()
    opened = undefined
    return text
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
  return [...(document.querySelector('#app')?.firstElementChild?.children ?? [])]
}

/** Looks once per frame. */
async function until(isReached: () => boolean): Promise<void> {
  for (let frame = 0; !isReached(); frame += 1) {
    if (frame === 600) throw new Error('The page did not show what was streamed.')
    await new Promise(requestAnimationFrame)
  }
}
