import { h, render } from 'vue'
import type { Ask } from '../context/ask-board.ts'
import type { ChatKeysOptions } from './use-chat-keys.ts'

/** Keys that go from message to message, and by how many. */
const STEPS = new Map([
  ['j', 1],
  ['k', -1],
])
/** Modifiers as they are named in a chord; `mod` is ⌘ or Ctrl. */
const MODIFIERS: readonly (readonly [name: string, isDown: (event: KeyboardEvent) => boolean])[] = [
  ['alt', ({ altKey }) => altKey],
  ['mod', ({ ctrlKey, metaKey }) => ctrlKey || metaKey],
  ['shift', ({ shiftKey }) => shiftKey],
]

/** Takes the keys of a chat, wherever the focus is; returns what ends that. */
export function listenForKeys(options: ChatKeysOptions): () => void {
  const onKey = (event: KeyboardEvent): void => {
    if (event.defaultPrevented || event.isComposing) return
    const isTaken = isChord(event, options.config.value.nextKey)
      ? goToNext(options)
      : (options.config.value.shortcuts && event.key === '?' && showSheet(options)) ||
        goByLetter(options, event)
    if (isTaken) event.preventDefault()
  }
  document.addEventListener('keydown', onKey)
  return () => document.removeEventListener('keydown', onKey)
}

/**
 * Shows what the keys do: from the chat, or where nothing has the focus. Whoever is in a field writes a
 * question mark.
 */
function showSheet({ element, config, sendKey }: ChatKeysOptions): boolean {
  const chat = element.value
  const { activeElement: focused, body } = document
  if (!chat || isField(focused) || (focused !== body && !chat.contains(focused))) return false
  const host = chat.appendChild(document.createElement('div'))
  const close = (): void => {
    render(null, host)
    host.remove()
  }
  void import('./ShortcutSheet.vue').then(({ default: sheet }) => {
    const props = { config: config.value, sendKey: sendKey(), onClose: close }
    render(h(sheet, props), host)
  }, close)
  return true
}

function isField(target: EventTarget | null): boolean {
  if (!(target instanceof HTMLElement)) return false
  return target.matches('input, textarea, select') || target.isContentEditable
}

/** Whether a key press is a chord such as `F8` or `Alt+N`. */
function isChord(event: KeyboardEvent, chord: string): boolean {
  const names = chord.toLowerCase().split('+')
  const key = names.pop() ?? ''
  if (!MODIFIERS.every(([name, isDown]) => isDown(event) === names.includes(name))) return false
  // By its place where a modifier or another script makes another character of it.
  return key !== '' && (event.key.toLowerCase() === key || event.code === `Key${key.toUpperCase()}`)
}

/** To the next card that waits; from the last one back to where the person writes. */
function goToNext({ element, board, focusComposer }: ChatKeysOptions): boolean {
  const { activeElement } = document
  const chat = activeElement?.closest('.as-chat')
  // Another conversation on the page has the focus: its own keys act.
  if (chat && chat !== element.value) return false
  const isHere = ({ element: card }: Ask): boolean => element.value?.contains(card.value) === true
  const asks = board.open.value.filter(isHere)
  const index = asks.findIndex(({ element: card }) => card.value?.contains(activeElement))
  const next = asks[index + 1]
  if (next) next.takeFocus()
  else if (index >= 0) focusComposer()
  return asks.length > 0
}

/**
 * J goes to the next message and K to the one before, as long as the focus is among the messages and
 * not where something is typed. From the list itself, K begins at the last and J at the first one.
 */
function goByLetter({ config, scroller }: ChatKeysOptions, event: KeyboardEvent): boolean {
  const step = STEPS.get(event.key.toLowerCase())
  const { target } = event
  if (step === undefined || !config.value.shortcuts || !(target instanceof HTMLElement))
    return false
  if (event.altKey || event.ctrlKey || event.metaKey || event.shiftKey) return false
  if (isField(target)) return false
  if (!scroller.value?.contains(target)) return false
  const all = [...scroller.value.querySelectorAll<HTMLElement>('[data-slot="bubble"]')]
  const index = all.findIndex((message) => message.contains(target))
  const next = index === -1 ? all.at(step > 0 ? 0 : -1) : all[index + step]
  if (!next) return false
  next.tabIndex = -1
  next.focus({ preventScroll: true })
  next.scrollIntoView({ block: 'nearest' })
  return true
}
