import { expect, test } from 'vitest'
import { render } from 'vitest-browser-vue'
import AsMarkdown from './AsMarkdown.vue'
import { loadMarkdown } from './markdown-code.ts'

async function shown(text: string): Promise<HTMLElement> {
  await loadMarkdown()
  const { container } = await render(AsMarkdown, { props: { text } })
  return container as HTMLElement
}

test.each([
  ['**注意：**请先备份', '注意：'],
  ['请看**“重要”**部分', '“重要”'],
  ['**（可选）**安装依赖', '（可选）'],
  ['这是**“引用”**。', '“引用”'],
  ['**步骤一、**打开设置', '步骤一、'],
  ['**重要！**不要删除', '重要！'],
])('shows emphasis beside Chinese punctuation: %s', async (text, bold) => {
  const element = await shown(text)
  expect(element.querySelector('strong')?.textContent).toBe(bold)
  expect(element.textContent).not.toContain('*')
})

test('emphasis holds code and links, and single asterisks are emphasis, too', async () => {
  const element = await shown('**运行 `rm *`：**请小心，*注意：*请看')
  expect(element.querySelector('strong code')?.textContent).toBe('rm *')
  expect(element.querySelector('em')?.textContent).toBe('注意：')
})

test.each([
  ['详见https://example.com/a，然后继续', 'https://example.com/a'],
  ['打开 https://example.com/a?b=1。完成', 'https://example.com/a?b=1'],
  ['https://example.com/docs查看文档', 'https://example.com/docs'],
])('an address ends where Chinese begins: %s', async (text, href) => {
  const links = [...(await shown(text)).querySelectorAll('a')]
  expect(links.map((link) => link.getAttribute('href'))).toEqual([href])
})

test('leaves what is written otherwise as it was', async () => {
  const element = await shown('2 * 3 * 4 and a*"b"*c and https://example.com/a, b')
  expect(element.querySelector('em')).toBeNull()
  expect(element.querySelector('a')?.getAttribute('href')).toBe('https://example.com/a')
})
