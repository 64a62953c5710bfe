import { beforeAll, expect, test } from 'vitest'
import { page } from 'vitest/browser'
import { render } from 'vitest-browser-vue'
import { nextTick } from 'vue'
import { longAnswer } from '../../test/scenes/long-answer.ts'
import '../style/index.css'
import AsMarkdown from './AsMarkdown.vue'
import { loadHealing } from './healing.ts'
import { loadMarkdown } from './markdown-code.ts'

beforeAll(loadMarkdown)
beforeAll(loadHealing)

/** What of the syntax is seen as text, outside of code. */
function leakOf(root: HTMLElement): string | undefined {
  const copy = root.cloneNode(true)
  if (!(copy instanceof HTMLElement)) throw new Error('There is no copy.')
  for (const code of copy.querySelectorAll('code, .as-code-head')) code.remove()
  return /\*\*|__|~~|`|\|[^|\n]*\||\]\(|\[\^|^\s*#{1,6}\s|\|\s*$|\[[ x]?\]?\s*$/m.exec(
    copy.textContent,
  )?.[0]
}

/** Streams a text and looks at every step. */
async function stream(answer: string, step: number) {
  await page.viewport(760, 900)
  const view = await render(AsMarkdown, {
    props: { text: '', streaming: true },
    attrs: { class: 'as-root' },
  })
  const root = view.container.firstElementChild
  if (!(root instanceof HTMLElement)) throw new Error('There is no text.')
  const leaks: string[] = []
  const shrinks: string[] = []
  let added = 0
  let removed = 0
  const observer = new MutationObserver((records) => {
    for (const record of records) {
      added += record.addedNodes.length
      removed += record.removedNodes.length
    }
  })
  observer.observe(root, { childList: true, subtree: true })
  let height = 0
  for (let end = step; end < answer.length + step; end += step) {
    const text = answer.slice(0, end)
    await view.rerender({ text, streaming: true })
    await nextTick()
    const leak = leakOf(root)
    if (leak !== undefined) leaks.push(`${JSON.stringify(text.slice(-40))}: ${leak}`)
    const next = root.getBoundingClientRect().height
    if (next < height) shrinks.push(`${JSON.stringify(text.slice(-40))}: ${height - next} px`)
    height = next
  }
  await Promise.resolve()
  observer.disconnect()
  return { leaks, shrinks, added, removed, nodes: root.querySelectorAll('*').length }
}

test('no syntax is seen, and the text grows downwards only, while 10 KB of it arrive', async () => {
  expect(longAnswer.length).toBeGreaterThan(10_000)
  const { leaks, shrinks } = await stream(longAnswer, 24)
  expect(leaks).toEqual([])
  expect(shrinks).toEqual([])
})

test('the same holds for every few characters', async () => {
  const { leaks, shrinks } = await stream(longAnswer.slice(0, 1_600), 3)
  expect(leaks).toEqual([])
  expect(shrinks).toEqual([])
})

test('elements that are there stay there', async () => {
  const { added, removed, nodes } = await stream(longAnswer, 24)
  // Each element comes once; only the end of what grows is made anew.
  expect(added).toBeLessThan(2 * nodes)
  expect(removed).toBeLessThan(nodes / 2)
})
