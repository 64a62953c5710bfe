const FORBIDDEN =
  'script, iframe, frame, object, embed, form:not([data-slot]), style, base, link, meta, video, audio, ' +
  'source, track, template, portal, svg:not(.as-icon), foreignObject, animate, [contenteditable], [autofocus]'
const LINKS = /^(?:https?|mailto):$/
const CARRIED = /^(?:data|blob):$/
const INLINE_IMAGE = /^(?:data:image\/|blob:)/

/** What must not be in a part of a page that shows what others say; empty when all is well. */
export function violationsIn(root: Element): string[] {
  const found: string[] = []
  for (const element of root.querySelectorAll(FORBIDDEN)) found.push(`element ${tagOf(element)}`)
  for (const element of root.querySelectorAll('*')) {
    for (const { name, value } of element.attributes) {
      if (name.startsWith('on')) found.push(`handler ${name} on ${tagOf(element)}`)
      if (name === 'style' && /url\(|position|inset|@import/i.test(value)) {
        found.push(`style of ${tagOf(element)}: ${value}`)
      }
      if ((name === 'id' || name === 'name') && /evil|^body$|proto|constructor/.test(value)) {
        found.push(`${name} of ${tagOf(element)}: ${value}`)
      }
      if (/^(?:srcset|srcdoc|action|formaction|ping|background|poster)$/.test(name)) {
        found.push(`attribute ${name} of ${tagOf(element)}`)
      }
    }
  }
  for (const link of root.querySelectorAll('a')) {
    const isSaved = link.hasAttribute('download') && CARRIED.test(link.protocol)
    const isOpened = LINKS.test(link.protocol) && /noopener.*noreferrer/.test(link.rel)
    if (!isSaved && !(isOpened && link.target === '_blank' && link.hasAttribute('href'))) {
      found.push(`link to ${link.getAttribute('href')}`)
    }
    if (link.origin === location.origin && !isSaved) found.push(`link into the app: ${link.href}`)
  }
  for (const image of root.querySelectorAll('img')) {
    if (!INLINE_IMAGE.test(image.src)) found.push(`image from ${image.src}`)
  }
  return found
}

/** What has happened to the page itself. */
export function violationsOfPage(before: { title: string; href: string; head: number }): string[] {
  return [
    'hacked' in window ? 'code was run' : [],
    'evilclobber' in window ? 'a global was made' : [],
    document.title === before.title ? [] : 'the title was changed',
    location.href === before.href ? [] : 'the page was left',
    document.head.querySelectorAll('base, meta, script').length === before.head
      ? []
      : 'the head was changed',
    getComputedStyle(document.body).display === 'none' ? 'the page was hidden' : [],
  ].flat()
}

function tagOf(element: Element): string {
  return element.outerHTML.slice(0, 80)
}
