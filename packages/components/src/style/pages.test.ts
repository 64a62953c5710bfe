import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { page as screen } from 'vitest/browser'
import { createApp, h, nextTick, type App } from 'vue'
import { scenes } from '../../test/scenes/scenes.ts'
import { createChatDouble } from '../../test/chat-double.ts'
import { AsChat } from '../chat/index.ts'
import layered from './index.css?inline'
import unlayered from './unlayered.css?inline'

/** What a utility framework resets on every page: the same effect as its own, written anew. */
const RESET = `
*, ::before, ::after, ::backdrop, ::file-selector-button {
  box-sizing: border-box; margin: 0; padding: 0; border: 0 solid #e5e7eb;
}
html { line-height: 1.5; text-size-adjust: 100%; tab-size: 4; font-family: ui-serif, serif; }
hr { height: 0; color: inherit; border-top-width: 1px; }
h1, h2, h3, h4, h5, h6 { font-size: inherit; font-weight: inherit; }
a { color: inherit; text-decoration: inherit; }
b, strong { font-weight: bolder; }
code, kbd, samp, pre { font-family: monospace; font-size: 1em; }
small { font-size: 80%; }
table { text-indent: 0; border-color: inherit; border-collapse: collapse; }
ol, ul, menu { list-style: none; }
img, svg, video, canvas, audio, iframe, embed, object { display: block; vertical-align: middle; }
img, video { max-width: 100%; height: auto; }
button, input, select, optgroup, textarea, ::file-selector-button {
  font: inherit; font-feature-settings: inherit; letter-spacing: inherit; color: inherit;
  border-radius: 0; background-color: transparent; opacity: 1;
}
::placeholder { opacity: 1; color: color-mix(in oklab, currentcolor 50%, transparent); }
textarea { resize: vertical; }
summary { display: list-item; }
[hidden] { display: none !important; }`

/** What any page may be made of. */
const PAGE = `
<header class="dark"><h1>Title</h1><nav><ul><li><a href="#x">Link</a></li></ul></nav></header>
<main data-theme="dark"><p class="light">Text <b>bold</b> <code>code</code> <kbd>K</kbd></p>
<button type="button">Go</button><input value="a"><textarea>b</textarea><select><option>c</select>
<label class="chip"><input type="checkbox" checked> Check</label><svg width="9" height="9"></svg>
<blockquote>Quote</blockquote><pre>pre</pre><hr><table><tr><th>a<td>b</table>
<details open><summary>More</summary>Text</details><progress></progress><dialog open>d</dialog></main>`

const frames: HTMLIFrameElement[] = []
const apps: App[] = []
// Pictures are compared: what shows a time shows the same one in all of them. (The clock of fake timers
// goes on while a picture is taken.)
beforeEach(() => void vi.spyOn(Date, 'now').mockReturnValue(Date.now()))
afterEach(() => {
  vi.restoreAllMocks()
  for (const app of apps.splice(0)) app.unmount()
  for (const frame of frames.splice(0)) frame.remove()
})

/** A page of its own with these stylesheets, in their order. */
function openPage(...sheets: readonly string[]): Document {
  const frame = document.body.appendChild(document.createElement('iframe'))
  frame.style.cssText = 'inline-size: 800px; block-size: 700px'
  frames.push(frame)
  const page = frame.contentDocument!
  page.open()
  page.write('<!doctype html><html lang="en"><head></head><body></body></html>')
  page.close()
  for (const sheet of sheets) {
    page.head.appendChild(page.createElement('style')).textContent = sheet
  }
  return page
}

async function showScene(name: string, ...sheets: readonly string[]): Promise<Document> {
  const page = openPage('body { margin: 0; height: 700px }', ...sheets)
  const still = '.as-root, .as-root * { animation: none !important; transition: none !important }'
  page.head.appendChild(page.createElement('style')).textContent = still
  const root = page.body.appendChild(page.createElement('div'))
  root.style.height = '700px'
  const { chat } = createChatDouble(scenes.get(name))
  const app = createApp({ render: () => h(AsChat, { chat }) })
  apps.push(app)
  app.mount(root)
  await nextTick()
  return page
}

/** Every property of every element (and what stands before and after it) as the browser has it. */
function stylesOf(page: Document, selector: string): Map<string, string>[] {
  const view = page.defaultView!
  return [...page.querySelectorAll(selector)].flatMap((element) =>
    [null, '::before', '::after', '::marker', '::placeholder'].map((pseudo) => {
      const style = view.getComputedStyle(element, pseudo)
      const entries = [...style].map((name) => [name, style.getPropertyValue(name)] as const)
      const tag = `${element.tagName.toLowerCase()}.${element.getAttribute('class') ?? ''}`
      return new Map([['at', `${tag}${pseudo ?? ''}`], ...entries])
    }),
  )
}

/** The properties in which two pages differ, each with where and how. */
function differences(one: Map<string, string>[], other: Map<string, string>[]): string[] {
  expect(one.length).toBe(other.length)
  const found = one.flatMap((styles, index) =>
    [...styles].flatMap(([name, value]) => {
      const with_ = other[index]?.get(name)
      return with_ === value ? [] : [`${styles.get('at')} ${name}: ${value} → ${with_}`]
    }),
  )
  return [...new Set(found)]
}

test.each([
  ['in a layer', layered],
  ['in no layer', unlayered],
])('a page stays as it is outside of the components, %s', async (_, css) => {
  const plain = openPage()
  const styled = openPage(css)
  for (const page of [plain, styled]) page.body.innerHTML = PAGE
  const elements = stylesOf(styled, 'body, body *')
  expect(elements.length).toBeGreaterThan(100)
  expect(differences(stylesOf(plain, 'body, body *'), elements)).toEqual([])
})

test('what is compared sees a rule that leaks', () => {
  const leaking = openPage('button { padding: 3px }')
  const plain = openPage()
  for (const page of [plain, leaking]) page.body.innerHTML = PAGE
  const found = differences(stylesOf(plain, 'body, body *'), stylesOf(leaking, 'body, body *'))
  expect(found.some((line) => line.includes('padding-left'))).toBe(true)
})

/** What the page looks like, as a picture: once it looks the same twice. */
async function pictureOf(page: Document): Promise<string> {
  const frame = frames.find(({ contentDocument }) => contentDocument === page)
  const take = () => screen.screenshot({ element: frame!, save: false })
  for (let taken = await take(); ;) {
    const next = await take()
    if (next === taken) return taken
    taken = next
  }
}

async function picture(scene: string, ...sheets: readonly string[]): Promise<string> {
  const page = await showScene(scene, ...sheets)
  const taken = await pictureOf(page)
  apps.pop()?.unmount()
  frames.pop()?.remove()
  return taken
}

const SCENES = ['asks', 'lines', 'text', 'error', 'answer', 'empty']
const ORDER = '@layer theme, base, assent, components, utilities;'

test.each(SCENES)('looks the same, to the pixel, on a page with a reset: "%s"', async (scene) => {
  await screen.viewport(820, 760)
  const plain = await picture(scene, layered)
  expect(await picture(scene, ORDER, layered, `@layer base { ${RESET} }`)).toBe(plain)
  expect(await picture(scene, RESET, unlayered)).toBe(plain)
  expect(await picture(scene, unlayered, RESET)).toBe(plain)
  // Such a reset does change what is in a layer: the pictures would show it.
  expect(await picture(scene, layered, RESET)).not.toBe(plain)
})

test('no rule knows left from right', () => {
  const page = openPage(unlayered)
  const rules: CSSStyleRule[] = []
  const collect = (list: CSSRuleList): void => {
    for (const rule of list) {
      if (rule instanceof page.defaultView!.CSSStyleRule) rules.push(rule)
      if ('cssRules' in rule) collect(rule.cssRules as CSSRuleList)
    }
  }
  for (const sheet of page.styleSheets) collect(sheet.cssRules)
  expect(rules.length).toBeGreaterThan(200)
  const sides = rules.flatMap((rule) =>
    ['padding-', 'margin-', 'border-', ''].flatMap((prefix) => {
      const suffix = prefix === 'border-' ? '-width' : ''
      const left = rule.style.getPropertyValue(`${prefix}left${suffix}`)
      const right = rule.style.getPropertyValue(`${prefix}right${suffix}`)
      return left === right ? [] : [`${rule.selectorText} { ${rule.style.cssText} }`]
    }),
  )
  expect(sides).toEqual([])
})

test('says nothing that bundlers for older browsers make something else of', () => {
  const rules = unlayered.replaceAll(/\/\*.*?\*\//gs, '')
  expect(rules).toContain('.as-ask')
  expect(rules.match(/light-dark\(|:dir\(/g)).toBeNull()
})

test('what points forwards points the other way from right to left, also in what is nested', () => {
  const page = openPage(unlayered)
  page.body.innerHTML =
    '<i dir="RTL"><i class="as-line-chevron"></i><i dir="ltr"><i class="as-line-chevron"></i></i></i>'
  const scales = [...page.querySelectorAll('.as-line-chevron')].map(
    (chevron) => page.defaultView!.getComputedStyle(chevron).scale,
  )
  expect(scales).toEqual(['-1 1', '1'])
})
