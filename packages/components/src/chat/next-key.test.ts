import { expect, test } from 'vitest'
import { defineComponent, h } from 'vue'
import { render } from 'vitest-browser-vue'
import { useConfig } from '../config/config.ts'

/**
 * The keys that programs around a page take for themselves, with the modifiers that they need: function
 * keys, and letters with Alt or with ⌘ or Ctrl. (`JAWS` stands for Insert or Caps Lock there, `VO` for
 * Control+Option, `NVDA`, `Orca` and `Narrator` likewise.)
 */
const TAKEN: Readonly<Record<string, readonly string[]>> = {
  Chrome: [
    'F1',
    'F3',
    'F5',
    'F6',
    'F7',
    'F10',
    'F11',
    'F12',
    'Alt+D',
    'Alt+E',
    'Alt+F',
    'Mod+Shift+N',
  ],
  Edge: ['F1', 'F3', 'F4', 'F5', 'F6', 'F7', 'F9', 'F10', 'F11', 'F12', 'Alt+E', 'Mod+Shift+Y'],
  Firefox: ['F1', 'F3', 'F5', 'F6', 'F7', 'F9', 'F10', 'F11', 'F12', 'Alt+D', 'Mod+Shift+Y'],
  Safari: ['F5', 'Mod+Alt+U', 'Mod+Alt+I', 'Mod+Shift+N', 'Mod+Shift+L'],
  Windows: ['F10', 'Alt+F4', 'Alt+F8', 'Alt+Tab', 'Alt+Escape', 'Alt+Space'],
  GNOME: ['Alt+F1', 'Alt+F2', 'Alt+F4', 'Alt+F7', 'Alt+F8', 'Alt+F10'],
  macOS: ['F11', 'Mod+F5', 'Alt+N', 'Alt+E', 'Alt+U', 'Alt+I'],
  JAWS: ['JAWS+F1', 'JAWS+F5', 'JAWS+F6', 'JAWS+F7', 'JAWS+F8', 'JAWS+F9', 'JAWS+F10'],
  NVDA: ['NVDA+F2', 'NVDA+F7', 'NVDA+F8', 'NVDA+F9', 'NVDA+F10', 'NVDA+F12'],
  Narrator: ['Narrator+F1', 'Narrator+F5', 'Narrator+F6', 'Narrator+F7', 'Narrator+F8'],
  Orca: ['Orca+F1', 'Orca+F8', 'Orca+F11', 'Orca+F12'],
  VoiceOver: ['VO+F1', 'VO+F2', 'VO+F3', 'VO+F4', 'VO+F5', 'VO+F6', 'VO+F7', 'VO+F8'],
}

test('the key that goes to what needs a person is one that no browser or screen reader takes', async () => {
  let nextKey = ''
  await render(
    defineComponent(() => {
      nextKey = useConfig().value.nextKey
      return () => h('p')
    }),
  )
  expect(nextKey).not.toBe('')
  const takers = Object.entries(TAKEN).filter(([, keys]) => keys.includes(nextKey))
  expect(takers).toEqual([])
  // The table would show one that is taken.
  expect(Object.values(TAKEN).flat()).toEqual(expect.arrayContaining(['F7', 'Mod+Shift+Y']))
})
