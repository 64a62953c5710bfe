import { afterEach, expect, test } from 'vitest'
import { cdp } from 'vitest/browser'
import './index.css'

const GROUNDS = ['ground', 'paper', 'field'] as const
/** Colours of text, each with what it stands on. */
const PAIRS: readonly (readonly [text: string, ground: string])[] = [
  ...['ink', 'ink-2', 'ink-3', 'accent'].flatMap((text) =>
    GROUNDS.map((ground) => [text, ground] as const),
  ),
  ...['read', 'write', 'send', 'destroy', 'ok', 'bad', 'unsure', 'accent'].flatMap((hue) => [
    [hue, `${hue}-soft`] as const,
    [hue, 'paper'] as const,
    [hue, 'ground'] as const,
  ]),
  ['on-ink', 'ink'],
  ['on-destroy', 'destroy'],
]

const added: HTMLElement[] = []
afterEach(async () => {
  for (const element of added.splice(0)) element.remove()
  delete document.documentElement.dataset['theme']
  await prefer('light')
})

function prefer(scheme: 'light' | 'dark'): Promise<unknown> {
  const session = cdp() as { send: (method: string, params: object) => Promise<unknown> }
  const features = [{ name: 'prefers-color-scheme', value: scheme }]
  return session.send('Emulation.setEmulatedMedia', { features })
}

function add(attributes: Record<string, string>, parent: HTMLElement = document.body): HTMLElement {
  const element = parent.appendChild(document.createElement('div'))
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value)
  added.push(element)
  return element
}

/** Red, green and blue from 0 to 1, of a token as it is at an element. */
function colourOf(token: string, at: HTMLElement): number[] {
  const probe = at.appendChild(document.createElement('i'))
  probe.style.color = `var(--as-${token})`
  const canvas = new OffscreenCanvas(1, 1).getContext('2d')!
  canvas.fillStyle = getComputedStyle(probe).color
  probe.remove()
  canvas.fillRect(0, 0, 1, 1)
  return Array.from(canvas.getImageData(0, 0, 1, 1).data.slice(0, 3), (byte) => byte / 255)
}

function luminance(colour: readonly number[]): number {
  const [red = 0, green = 0, blue = 0] = colour.map((part) =>
    part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4,
  )
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue
}

function contrast(text: string, ground: string, at: HTMLElement): number {
  const [a, b] = [luminance(colourOf(text, at)), luminance(colourOf(ground, at))]
  return (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05)
}

const look = (at: HTMLElement): string =>
  JSON.stringify(PAIRS.flat().map((token) => colourOf(token, at)))

test.each(['light', 'dark'])('text can be read on everything it stands on, %s', (theme) => {
  const root = add({ class: 'as-root', 'data-theme': theme })
  const tooLow = PAIRS.map(([text, ground]) => ({
    pair: `${text} on ${ground}`,
    ratio: Math.floor(contrast(text, ground, root) * 100) / 100,
  })).filter(({ ratio }) => ratio < 4.5)
  expect(tooLow).toEqual([])
})

test('the contrast that is measured is that of the standard', () => {
  const root = add({ style: '--as-a: #767676; --as-b: #fff; --as-c: #000' })
  expect(contrast('a', 'b', root)).toBeCloseTo(4.54, 2)
  expect(contrast('b', 'c', root)).toBeCloseTo(21, 5)
})

test('follows the page, by class or attribute, and otherwise the system', async () => {
  const light = look(add({ class: 'as-root', 'data-theme': 'light' }))
  const dark = look(add({ class: 'as-root', 'data-theme': 'dark' }))
  expect(dark).not.toBe(light)
  const root = add({ class: 'as-root' })
  expect(look(root)).toBe(light)
  expect(getComputedStyle(root).colorScheme).toBe('light')

  await prefer('dark')
  expect(look(root)).toBe(dark)
  expect(getComputedStyle(root).colorScheme).toBe('dark')
  document.documentElement.dataset['theme'] = 'light'
  expect(look(root)).toBe(light)
  expect(look(add({ class: 'as-root' }, add({ class: 'dark' })))).toBe(dark)
})

test('themes stand inside each other', async () => {
  const light = look(add({ class: 'as-root', 'data-theme': 'light' }))
  const outer = add({ class: 'as-root', 'data-theme': 'dark' })
  const inner = add({ class: 'as-root', 'data-theme': 'auto' }, outer)
  expect(look(inner)).toBe(light)
  await prefer('dark')
  expect(look(inner)).toBe(look(outer))
})

test('a token of the page is stronger than that of the kit', () => {
  const style = add({}).appendChild(document.createElement('style'))
  style.textContent = ':root { --as-accent: rgb(1 2 3) }'
  const root = add({ class: 'as-root' })
  expect(colourOf('accent', root).map((part) => part * 255)).toEqual([1, 2, 3])
})

test('compact is smaller than comfortable, and targets stay large enough', () => {
  const size = (token: string, at: HTMLElement): number => {
    const probe = at.appendChild(document.createElement('i'))
    probe.style.cssText = `display: block; block-size: var(--as-${token})`
    const { height } = probe.getBoundingClientRect()
    probe.remove()
    return height
  }
  const compact = add({ class: 'as-root', 'data-as-density': 'compact' })
  const comfortable = add({ class: 'as-root', 'data-as-density': 'comfortable' }, compact)
  const tokens = ['text', 'text-line', 'text-sub', 'text-meta', 'target', 'row']
  expect(tokens.filter((token) => size(token, compact) >= size(token, comfortable))).toEqual([])
  expect(size('target', compact)).toBeGreaterThanOrEqual(24)
  expect(size('row', compact)).toBeGreaterThanOrEqual(24)
  expect(size('text-meta', compact)).toBeGreaterThanOrEqual(11)
})
