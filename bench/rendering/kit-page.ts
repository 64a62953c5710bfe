import type { UIMessage, UIMessageChunk } from 'ai'
import { createApp, h, type App } from 'vue'
import { longAnswer } from '../../packages/components/test/scenes/long-answer.ts'
import { createAnswerPump, ENDING, OPENING, type AnswerPump } from './answer-pump.ts'
import KitChat from './KitChat.vue'
import type { KitVariant } from './kit-variants.ts'
import { countRenders, type RenderCounts } from './render-counts.ts'
import UseChatList from './UseChatList.vue'

interface Opened {
  readonly app: App
  readonly pump: AnswerPump
  readonly send: (text: string) => Promise<unknown>
  readonly counts: RenderCounts | undefined
}

let opened: Opened | undefined
/** Height of a line of text, in pixels. */
const LINE = 26

window.kit = {
  async mount(variant, history, counts = false) {
    const messages = richHistory(history)
    const start = performance.now()
    opened = open(variant, messages, counts)
    await until(() =>
      bubbles()
        .at(-1)
        ?.textContent.includes(`Nothing else in ${history - 1}.`),
    )
    await until(() => (bubbles().at(-1)?.getBoundingClientRect().height ?? 0) > 0)
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
    await until(() => bubbles().at(-2)?.textContent.includes('Tell me about the archive'))
  },
  async stream(step) {
    const times: number[] = []
    await pumpAnswer(step, (time) => times.push(time))
    const gaps = times
      .slice(1)
      .map((time, index) => time - (times[index] ?? 0))
      .toSorted((a, b) => a - b)
    const at = (share: number): number => gaps[Math.floor(gaps.length * share)] ?? Number.NaN
    return { frames: times.length, medianFrame: at(0.5), slowFrame: at(0.95) }
  },
  async look(step) {
    const { counts } = current()
    if (!counts) throw new Error('This conversation was not mounted to be counted.')
    const before = { ...counts }
    const seen = { tokens: 0, replacedBlocks: 0, shrinks: 0 }
    let finished: Element[] = []
    let height = 0
    await pumpAnswer(step, () => {
      seen.tokens += 1
      const blocks = [...(bubbles().at(-1)?.querySelector('.as-markdown')?.children ?? [])]
      seen.replacedBlocks += finished.filter((block, index) => block !== blocks[index]).length
      // The last two may still become one, or another: a list, a table.
      finished = blocks.slice(0, -2)
      const now = document.querySelector('[data-slot="scroller"]')?.scrollHeight ?? 0
      if (height - now > LINE) seen.shrinks += 1
      height = now
    })
    return {
      ...seen,
      listRenders: counts.lists - before.lists,
      bubbleRenders: counts.bubbles - before.bubbles,
    }
  },
}

/** Pumps the answer, some characters per frame, and tells after each frame what time it was. */
async function pumpAnswer(step: number, onFrame: (time: number) => void): Promise<void> {
  const { pump } = current()
  for (let start = 0; start < longAnswer.length; start += step) {
    const delta = longAnswer.slice(start, start + step)
    await pump.load([{ type: 'text-delta', id: 'text', delta } satisfies UIMessageChunk])()
    onFrame(await new Promise(requestAnimationFrame))
  }
  await until(() => bubbles().at(-1)?.textContent.includes('Whether step 7 waits'))
  await pump.load(ENDING)()
}

/** One element per message that is in the page. */
function bubbles(): Element[] {
  return [...document.querySelectorAll('#app article')]
}

function current(): Opened {
  if (!opened) throw new Error('No conversation is open.')
  return opened
}

function open(variant: KitVariant, history: UIMessage[], isCounted: boolean): Opened {
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
  const counts = isCounted ? countRenders(app) : undefined
  app.mount('#app')
  return { app, pump, send: (text) => send(text), counts }
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
async function until(isReached: () => boolean | undefined): Promise<void> {
  for (let frame = 0; !isReached(); frame += 1) {
    if (frame === 600) throw new Error('The page did not show what was to be shown.')
    await new Promise(requestAnimationFrame)
  }
}
