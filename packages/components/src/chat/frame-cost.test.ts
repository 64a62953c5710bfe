import { afterEach, beforeAll, expect, test, vi } from 'vitest'
import type { ComponentPublicInstance } from 'vue'
import { createChatDouble, type ChatDouble } from '../../test/chat-double.ts'
import { assistant, text, user } from '../../test/fixtures.ts'
import { mountChat, slotElement } from '../../test/mount.ts'
import { loadHealing } from '../markdown/healing.ts'
import { loadMarkdown } from '../markdown/markdown-code.ts'
import styles from '../style/index.css?inline'

beforeAll(() => Promise.all([loadMarkdown(), loadHealing()]))
afterEach(() => {
  vi.restoreAllMocks()
  vi.unstubAllGlobals()
})

const history = Array.from({ length: 100 }, (_, index) => [
  user(`u${index}`, `Question ${index}`),
  assistant(`a${index}`, text(`Answer ${index}\n\n- one\n- two`)),
]).flat()

async function frames(count: number): Promise<void> {
  for (let frame = 0; frame < count; frame += 1) await new Promise(requestAnimationFrame)
}

/** Shows that history with an answer that has begun. */
async function show(options: { virtual?: boolean; mixin?: object } = {}): Promise<ChatDouble> {
  const { virtual = false, mixin } = options
  const double = createChatDouble({ requestState: 'processing', messages: history })
  double.put(assistant('last', text('It begins.', 'streaming')))
  await mountChat(double, { props: { virtual }, ...(mixin && { mixin }) })
  await expect.poll(() => slotElement('list').textContent).toContain('It begins.')
  await frames(12)
  return double
}

/** A frame for each of so many tokens. */
async function stream(double: ChatDouble, count: number): Promise<void> {
  let said = 'It begins.'
  for (let token = 0; token < count; token += 1) {
    said += token % 8 === 7 ? '\n\nA **paragraph**' : ` and token ${token}`
    double.put(assistant('last', text(said, 'streaming')))
    await frames(1)
  }
  await expect.poll(() => slotElement('list').textContent).toContain(`token ${count - 1}`)
}

/** Notes what is asked about the layout at other times than when sizes are reported and it is done. */
function watchLayout(): string[] {
  const asked: string[] = []
  let isDone = false
  class Watched extends ResizeObserver {
    constructor(report: ResizeObserverCallback) {
      super((...told) => {
        isDone = true
        report(...told)
        isDone = false
      })
    }
  }
  vi.stubGlobal('ResizeObserver', Watched)
  for (const [owner, name] of [
    [Element.prototype, 'scrollHeight'],
    [Element.prototype, 'scrollTop'],
    [Element.prototype, 'clientHeight'],
    [HTMLElement.prototype, 'offsetHeight'],
    [HTMLElement.prototype, 'offsetWidth'],
  ] as const) {
    const read = Object.getOwnPropertyDescriptor(owner, name)?.get
    vi.spyOn(owner as HTMLElement, name, 'get').mockImplementation(function (this: unknown) {
      if (!isDone) asked.push(name)
      return Number(read?.call(this))
    })
  }
  const { getBoundingClientRect } = Element.prototype
  vi.spyOn(Element.prototype, 'getBoundingClientRect').mockImplementation(function (this: Element) {
    if (!isDone) asked.push('getBoundingClientRect')
    return getBoundingClientRect.call(this)
  })
  return asked
}

test('nothing makes the page be laid out between two frames while an answer streams', async () => {
  const asked = watchLayout()
  const double = await show()
  expect(asked).not.toEqual([])
  asked.length = 0
  await stream(double, 23)
  expect(asked).toEqual([])
})

test('many tokens in one frame render one bubble once, and no list', async () => {
  const counts = new Map<string, number>()
  const mixin = {
    updated(this: ComponentPublicInstance) {
      const name = this.$options.__name ?? 'anonymous'
      counts.set(name, (counts.get(name) ?? 0) + 1)
    },
  }
  const double = await show({ mixin })
  counts.clear()
  for (const said of ['It begins. One', 'It begins. One, two', 'It begins. One, two, three']) {
    double.put(assistant('last', text(said, 'streaming')))
  }
  await expect.poll(() => slotElement('list').textContent).toContain('One, two, three')
  expect([counts.get('AsBubble'), counts.get('BubbleListItem')]).toEqual([1, 1])
  expect(counts.has('AsBubbleList')).toBe(false)
  expect(counts.has('BubbleStretch')).toBe(false)
  // A message more renders the list and the stretch that it is in.
  counts.clear()
  double.put(user('new', 'One more'))
  await expect.poll(() => slotElement('list').textContent).toContain('One more')
  expect([counts.get('AsBubbleList'), counts.get('BubbleStretch')]).toEqual([1, 1])
  expect(counts.has('BubbleListItem')).toBe(false)
})

const stretches = () => [...slotElement('list').children]
const isDrawn = (stretch: Element): boolean =>
  stretch.firstElementChild?.checkVisibility({ contentVisibilityAuto: true }) === true

test('of a long history the stretches near the view are laid out, and no other', async () => {
  await show()
  expect(stretches().map(({ childElementCount }) => childElementCount)).toEqual([
    40, 40, 40, 40, 40, 1,
  ])
  expect(stretches().map(isDrawn)).toEqual([false, false, false, false, true, true])
})

test('what has come while it was watched is left out as well, at the height that it had', async () => {
  const double = createChatDouble({ messages: [user('first', 'First')] })
  await mountChat(double)
  await frames(4)
  let height = 0
  for (let index = 0; index < 120; index += 1) {
    double.put(index % 2 ? assistant(`a${index}`, text('Yes.')) : user(`u${index}`, 'And this?'))
    if (index % 10 === 0) await frames(1)
    if (index === 60) height = stretches()[0]!.getBoundingClientRect().height
  }
  await expect.poll(() => stretches()).toHaveLength(4)
  await frames(4)
  const [first, last] = [stretches()[0]!, stretches()[3]!]
  expect([isDrawn(first), isDrawn(last)]).toEqual([false, true])
  expect(first.getBoundingClientRect().height).toBeCloseTo(height, 0)
})

test('a list that leaves out messages tells of its height in time, without an error event', async () => {
  const double = await show({ virtual: true })
  const errors: string[] = []
  const note = ({ message }: ErrorEvent): void => void errors.push(message)
  addEventListener('error', note)
  const { scrollTop: before } = slotElement('scroller')
  const gaps: number[] = []
  for (const paragraphs of [4, 9, 15, 22, 30]) {
    double.put(assistant('last', text('It goes on.\n\n'.repeat(paragraphs), 'streaming')))
    await frames(1)
    // Told in the task after the frame: what the reader sees.
    await new Promise((resolve) => {
      const { port1, port2 } = new MessageChannel()
      port1.addEventListener('message', resolve, { once: true })
      port1.start()
      port2.postMessage(null)
    })
    const { scrollHeight, clientHeight, scrollTop } = slotElement('scroller')
    gaps.push(scrollHeight - clientHeight - scrollTop)
  }
  removeEventListener('error', note)
  expect(slotElement('scroller').scrollTop).toBeGreaterThan(before)
  expect(Math.max(...gaps)).toBeLessThan(2)
  expect(errors).toEqual([])
})

/** Elements with a conversation or a message in them, however long it is. */
const WHOLE =
  /\.as-(?:chat|chat-scroller|chat-column|list|stretch|item|bubble|bubble-body|markdown)\b/

test('no style looks for something anywhere in a conversation', () => {
  const sheet = new CSSStyleSheet()
  sheet.replaceSync(styles)
  const found: string[] = []
  const looked: string[] = []
  const look = (rules: CSSRuleList): void => {
    for (const rule of rules) {
      if (rule instanceof CSSStyleRule) {
        for (const [, subject = '', wanted = ''] of rule.selectorText.matchAll(
          /([^\s,>+~]*?):has\(\s*([^)]*)/g,
        )) {
          looked.push(rule.selectorText)
          if (WHOLE.test(subject) && !wanted.startsWith('>')) found.push(rule.selectorText)
        }
      }
      if ('cssRules' in rule) look(rule.cssRules as CSSRuleList)
    }
  }
  look(sheet.cssRules)
  expect(looked.length).toBeGreaterThan(5)
  expect(found).toEqual([])
})
