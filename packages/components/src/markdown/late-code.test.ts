import { expect, test, vi } from 'vitest'
import { render } from 'vitest-browser-vue'
import { createSSRApp, h, nextTick, shallowRef, type Component } from 'vue'
import '../style/index.css'
import AsMarkdown from './AsMarkdown.vue'
import MarkdownContent from './MarkdownContent.vue'

// Each attempt to load is ended by hand. They run in this order: what is loaded stays loaded.
const attempts = vi.hoisted((): PromiseWithResolvers<Component>[] => [])

vi.mock('./load-content.ts', () => ({
  loadContent() {
    const attempt = Promise.withResolvers<Component>()
    attempts.push(attempt)
    return attempt.promise
  },
}))

/** A page with a text of a server's, and the app that takes it over. */
function takeOver() {
  const root = document.createElement('div')
  root.innerHTML =
    '<div class="as-root as-markdown" data-slot="markdown" dir="auto"><!--[-->' +
    '<!--[--><p>A <strong>word</strong></p><!--]--><!--v-if--><!--]--></div>'
  document.body.append(root)
  const word = root.querySelector('strong')
  const text = shallowRef('A **word**')
  const app = createSSRApp({ render: () => h(AsMarkdown, { text: text.value }) })
  app.mount(root)
  return {
    root,
    text,
    word,
    leave() {
      app.unmount()
      root.remove()
    },
  }
}

test('a text whose code cannot be loaded is shown as it was written; the next one tries again', async () => {
  const first = await render(AsMarkdown, { props: { text: '# One\n\n**two**' } })
  expect(attempts).toHaveLength(1)
  attempts[0]!.reject(new Error('The network is gone.'))
  await expect(attempts[0]!.promise).rejects.toThrow('The network is gone.')
  await nextTick()
  expect(first.container.innerText).toBe('# One\n\n**two**')
  const second = await render(AsMarkdown, { props: { text: '**Three**' } })
  expect(second.container.innerText).toContain('**Three**')
  expect(attempts).toHaveLength(2)
})

test('what a server has rendered gives way to a text that grows before the code is there', async () => {
  const { root, text, leave } = takeOver()
  expect(root.innerText).toBe('A word')
  text.value = 'A **word** more'
  await nextTick()
  expect(root.innerText).toBe('A **word** more')
  leave()
})

test('when the code is there nothing is lost, and what a server has rendered is kept', async () => {
  const warn = vi.spyOn(console, 'warn')
  const error = vi.spyOn(console, 'error')
  const { root, text, word, leave } = takeOver()
  const view = await render(AsMarkdown, { props: { text: '**One**', streaming: true } })
  await view.rerender({ text: '**One** and *two*', streaming: true })
  const element = view.container.querySelector('[data-slot="markdown"]')
  expect(view.container.innerText).toBe('**One** and *two*')

  attempts.at(-1)!.resolve(MarkdownContent)
  await expect.poll(() => view.container.innerText).toBe('One and two')
  expect(view.container.querySelector('[data-slot="markdown"]')).toBe(element)
  expect(root.querySelector('strong')).toBe(word)

  text.value = 'A **word** more'
  await expect.poll(() => root.innerText).toBe('A word more')
  expect(root.querySelector('p')?.childNodes).toHaveLength(3)
  leave()

  const next = await render(AsMarkdown, { props: { text: '**At once**' } })
  expect(next.container.querySelector('strong')?.textContent).toBe('At once')
  expect(warn.mock.calls).toEqual([])
  expect(error.mock.calls).toEqual([])
  expect(attempts).toHaveLength(2)
})
