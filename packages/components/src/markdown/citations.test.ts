import { expect, test } from 'vitest'
import { page } from 'vitest/browser'
import { render } from 'vitest-browser-vue'
import AsMarkdown from './AsMarkdown.vue'
import type { SourcePart } from './sources.ts'

const sources: SourcePart[] = [
  { type: 'source-url', sourceId: 's1', url: 'https://www.example.com/a?b=1', title: 'Report' },
  { type: 'source-document', sourceId: 's2', mediaType: 'application/pdf', title: 'Contract' },
  { type: 'source-url', sourceId: 's3', url: 'javascript:alert(1)', title: 'Trap' },
]

test('a number that refers to a source is a chip with its host or title', async () => {
  await render(AsMarkdown, { props: { text: 'So [1] it【2†lines 3-9】is [3][9].', sources } })
  const link = page.getByRole('link', { name: 'Source 1: Report · example.com' })
  await expect.element(link).toHaveTextContent('example.com')
  await expect.element(link).toHaveAttribute('href', 'https://www.example.com/a?b=1')
  await expect.element(page.getByLabelText('Source 2: Contract')).toHaveTextContent('Contract')
  await expect.element(page.getByLabelText('Source 3: Trap')).toHaveTextContent('Trap')
  expect(page.getByRole('link').elements()).toHaveLength(1)
  expect(document.body.innerText).toContain('[9]')
})

test('a link whose text is a number is a chip when it leads to a source, and a link otherwise', async () => {
  const text = 'See [1](https://www.example.com/a?b=1) and [1](https://other.example/).'
  await render(AsMarkdown, { props: { text, sources } })
  await expect
    .element(page.getByRole('link', { name: 'Source 1: Report · example.com' }))
    .toBeVisible()
  await expect.element(page.getByRole('link', { name: '1', exact: true })).toBeVisible()
})

test('numbers in code, and numbers without sources, are left alone', async () => {
  const { container, rerender } = await render(AsMarkdown, {
    props: { text: 'a[1] and `a[1]`', sources },
  })
  expect(container.querySelector('code')!.textContent).toBe('a[1]')
  expect(container.querySelectorAll('[data-slot="citation"]')).toHaveLength(1)
  await rerender({ text: 'a[1] and `a[1]`', sources: [] })
  expect(container.textContent).toBe('a[1] and a[1]')
})
