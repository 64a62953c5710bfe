import type { UIMessage, UIMessageChunk } from 'ai'
import { createApp, h, type App } from 'vue'
import { longAnswer } from '../../packages/components/test/scenes/long-answer.ts'
import { createAnswerPump, ENDING, OPENING, type AnswerPump } from './answer-pump.ts'
import KitChat from './KitChat.vue'
import type { KitVariant, Shown } from './kit-variants.ts'
import UseChatList from './UseChatList.vue'

interface Opened {
  readonly app: App
  readonly pump: AnswerPump
  readonly send: (text: string) => Promise<unknown>
}

let opened: Opened | undefined
/** Height of a line of text, in pixels. */
const LINE = 26

window.kit = {
  async mount(variant, history) {
    const messages = richHistory(history)
    const start = performance.now()
    opened = open(variant, messages)
    await until(() => document.body.innerText.includes(`Nothing else in ${history - 1}.`))
    const [last] = [...document.querySelectorAll('#app p')].slice(-1)
    await until(() => (last?.getBoundingClientRect().height ?? 0) > 0)
    return performance.now() - start
  },
  close() {
    current().pump.close()
    current().app.unmount()
    opened = undefined
  },
  async begin() {
    void current().send('Tell me about the archive')
    await current().pump.load(OPENING)()
    await until(() => document.body.innerText.includes('Tell me about the archive'))
  },
  async stream(step, looks) {
    const { pump } = current()
    const times: number[] = []
    let shrinks = 0
    let height = 0
    for (let start = 0; start < longAnswer.length; start += step) {
      const delta = longAnswer.slice(start, start + step)
      await pump.load([{ type: 'text-delta', id: 'text', delta } satisfies UIMessageChunk])()
      times.push(await new Promise(requestAnimationFrame))
      if (!looks) continue
      const now = document.querySelector('#app')?.firstElementChild?.scrollHeight ?? 0
      if (height - now > LINE) shrinks += 1
      height = now
    }
    await until(() => document.body.innerText.includes('Whether step 7 waits'))
    await pump.load(ENDING)()
    return shownBy(times, shrinks)
  },
}

function current(): Opened {
  if (!opened) throw new Error('No conversation is open.')
  return opened
}

function open(variant: KitVariant, history: UIMessage[]): Opened {
  const pump = createAnswerPump()
  const { transport } = pump
  let send: Opened['send'] = () => Promise.resolve()
  const ready = (given: Opened['send']): void => {
    send = given
  }
  const app = createApp({
    render: () =>
      variant === 'useChat, plain v-for'
        ? h(UseChatList, { history, transport, ready })
        : h(KitChat, { history, transport, ready, virtual: variant === 'AsChat, virtual' }),
  })
  app.mount('#app')
  return { app, pump, send: (text) => send(text) }
}

function shownBy(times: readonly number[], shrinks: number): Shown {
  const gaps = times
    .slice(1)
    .map((time, index) => time - (times[index] ?? 0))
    .toSorted((a, b) => a - b)
  const at = (share: number): number => gaps[Math.floor(gaps.length * share)] ?? Number.NaN
  return { frames: times.length, medianFrame: at(0.5), slowFrame: at(0.95), shrinks }
}

/** Messages as people and models write them: a question, and a paragraph, a list and code. */
function richHistory(count: number): UIMessage[] {
  return Array.from({ length: count }, (_, index) => ({
    id: `history-${index}`,
    role: index % 2 === 0 && index < count - 1 ? 'user' : 'assistant',
    parts: [{ type: 'text', text: textOf(index), state: 'done' }],
  }))
}

function textOf(index: number): string {
  const end = `Nothing else in ${index}.`
  if (index % 2 === 0) return end
  return `It is **done**, see [the page](https://example.com/${index}).\n\n- one\n- two\n\n\`\`\`ts\nconst n = ${index}\n\`\`\`\n\n${end}`
}

/** Looks once per frame. */
async function until(isReached: () => boolean): Promise<void> {
  for (let frame = 0; !isReached(); frame += 1) {
    if (frame === 600) throw new Error('The page did not show what was to be shown.')
    await new Promise(requestAnimationFrame)
  }
}
