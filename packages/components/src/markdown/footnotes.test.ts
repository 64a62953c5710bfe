import { beforeAll, expect, test } from 'vitest'
import { page, userEvent } from 'vitest/browser'
import { render } from 'vitest-browser-vue'
import '../style/index.css'
import AsMarkdown from './AsMarkdown.vue'
import { loadMarkdown } from './markdown-code.ts'

beforeAll(loadMarkdown)

const answer = `It is said twice[^a], and once more.[^two]

[^a]: The **first** note
goes on here.
[^two]: https://example.com is the second.

    With a paragraph of its own.
[^a]: Never shown.

The end.`

test('marks lead to their notes by keyboard, and notes lead back', async () => {
  await render(AsMarkdown, { props: { text: answer }, attrs: { class: 'as-root' } })
  const second = page.getByRole('button', { name: 'Footnote 2' })
  ;(second.element() as HTMLElement).focus()
  await userEvent.keyboard('{Enter}')
  expect(document.activeElement?.textContent).toContain('is the second.')
  await userEvent.tab()
  await userEvent.tab()
  expect(document.activeElement?.getAttribute('aria-label')).toMatch(/^Back to where footnote 2/)
  await userEvent.keyboard('{Enter}')
  expect(document.activeElement).toBe(second.element())
  expect(location.hash).toBe('')
})

test('notes stand below the text, numbered, each once, with what belongs to them', async () => {
  const { container } = await render(AsMarkdown, { props: { text: answer } })
  const notes = [...container.querySelectorAll('[data-slot="footnotes"] li')]
  expect(notes).toHaveLength(2)
  expect(notes[0]!.querySelector('strong')!.textContent).toBe('first')
  expect(notes[0]!.textContent).toContain('goes on here.')
  expect(notes[1]!.querySelectorAll('p')).toHaveLength(2)
  expect(container.textContent).not.toContain('Never shown')
  expect(container.textContent).toContain('The end.')
  expect(container.firstElementChild!.lastElementChild).toHaveAttribute('data-slot', 'footnotes')
})

test('a mark without a note is a number while one may come, and the text it is afterwards', async () => {
  const { container, rerender } = await render(AsMarkdown, {
    props: { text: 'Said.[^1]', streaming: true },
  })
  expect(container.querySelector('sup')!.textContent).toBe('1')
  await rerender({ text: 'Said.[^1]', streaming: false })
  expect(container.textContent).toBe('Said.[^1]')
  await rerender({ text: 'Said.[^1]\n\n[^1]: So.', streaming: false })
  expect(page.getByRole('button', { name: 'Footnote 1' }).elements()).toHaveLength(1)
})

test('a note makes no address of its label, and marks of other kinds stay what they are', async () => {
  const { container } = await render(AsMarkdown, {
    props: { text: 'A [^x](https://example.com) b `[^1]`.\n\n[^1]: [^1]' },
  })
  expect(container.querySelector('a')!.textContent).toBe('^x')
  expect(container.querySelector('code')!.textContent).toBe('[^1]')
  expect(container.querySelectorAll('[id]')).toHaveLength(0)
})
