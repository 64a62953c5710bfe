import type { MarkedToken, Token, Tokens } from 'marked'
import { h, type Component, type VNode, type VNodeArrayChildren } from 'vue'
import type { AssentLocale } from '../locale/locale.ts'
import { decodeEntities } from './entities.ts'
import ConsentImage from './ConsentImage.vue'
import MarkdownCode from './MarkdownCode.vue'
import { contradictedHost, safeLink } from './url-policy.ts'

/** A component that renders one token. */
export type BlockComponent = Component<{ token: Token; topDepth: number }>

/** What rendering needs to know beside the tokens. */
export interface RenderContext {
  /** Depth of the most important heading of the text. */
  topDepth: number
  locale: AssentLocale
  /** Renders a token as a component of its own, which is skipped while the token stays the same. */
  block: BlockComponent
}

type Rendered = VNode | string | VNodeArrayChildren | null

const TYPES: ReadonlySet<string> = new Set<MarkedToken['type']>([
  'blockquote',
  'br',
  'checkbox',
  'code',
  'codespan',
  'def',
  'del',
  'em',
  'escape',
  'heading',
  'hr',
  'html',
  'image',
  'link',
  'list',
  'list_item',
  'paragraph',
  'space',
  'strong',
  'table',
  'text',
])

/** A token and all below it as VNodes. Everything that is not known here is shown as its text. */
export function renderBlock(token: Token, context: RenderContext): Rendered {
  if (!isKnown(token)) return token.raw
  switch (token.type) {
    case 'space':
    case 'def':
      return null
    case 'paragraph':
      return h('p', inline(token.tokens, context))
    case 'heading': {
      const level = Math.min(3 + Math.max(token.depth - context.topDepth, 0), 6)
      return h(`h${level}`, inline(token.tokens, context))
    }
    case 'blockquote':
      return h('blockquote', all(token.tokens, context))
    case 'code':
      return h(MarkdownCode, { code: token.text, language: languageOf(token) })
    case 'hr':
      return h('hr')
    case 'list':
      return renderList(token, context)
    case 'list_item':
      return renderItem(token, context)
    case 'table':
      return renderTable(token, context)
    case 'html':
      return token.block ? h('p', token.text.trimEnd()) : renderInlineHtml(token.text)
    case 'checkbox':
      return h('input', {
        type: 'checkbox',
        checked: token.checked,
        disabled: true,
        'aria-label': token.checked ? context.locale.taskDone : context.locale.taskOpen,
      })
    case 'text':
      return token.tokens ? inline(token.tokens, context) : decodeEntities(token.text)
    case 'escape':
      return token.text
    case 'strong':
    case 'em':
    case 'del':
      return h(token.type, inline(token.tokens, context))
    case 'codespan':
      return h('code', token.text)
    case 'br':
      return h('br')
    case 'link':
      return renderLink(token, context)
    case 'image':
      return h(ConsentImage, { address: token.href, alt: decodeEntities(token.text) })
  }
}

function all(tokens: readonly Token[], context: RenderContext): VNodeArrayChildren {
  return tokens.map((token) => renderBlock(token, context))
}

const inline = all

function renderList(token: Tokens.List, context: RenderContext): VNode {
  const { block, topDepth } = context
  const items = token.items.map((item, key) => h(block, { token: item, topDepth, key }))
  if (!token.ordered) return h('ul', items)
  return h('ol', token.start === 1 || token.start === '' ? {} : { start: token.start }, items)
}

function renderItem(item: Tokens.ListItem, context: RenderContext): VNode {
  return h('li', item.task ? { class: 'as-markdown-task' } : {}, all(item.tokens, context))
}

function renderTable(token: Tokens.Table, context: RenderContext): VNode {
  const cell = (tag: 'th' | 'td') => (content: Tokens.TableCell) =>
    h(
      tag,
      content.align ? { style: { textAlign: content.align } } : {},
      inline(content.tokens, context),
    )
  const table = h('table', [
    h('thead', h('tr', token.header.map(cell('th')))),
    h(
      'tbody',
      token.rows.map((row) => h('tr', row.map(cell('td')))),
    ),
  ])
  const region = { role: 'region', tabindex: 0, 'aria-label': context.locale.table }
  return h('div', { class: 'as-markdown-scroll', ...region }, table)
}

/** Shown as the text that it is, except for the one tag that tables need. */
function renderInlineHtml(text: string): Rendered {
  return /^<br\s*\/?>$/i.test(text.trim()) ? h('br') : text
}

function renderLink(token: Tokens.Link, context: RenderContext): Rendered {
  const content = inline(token.tokens, context)
  const url = safeLink(token.href)
  if (!url) return content
  const link = h(
    'a',
    {
      href: url.href,
      target: '_blank',
      rel: 'noopener noreferrer nofollow ugc',
      title: url.href,
    },
    content,
  )
  const host = contradictedHost(decodeEntities(token.text), url)
  return host ? [link, h('span', { class: 'as-markdown-host' }, ` (${host})`)] : link
}

function languageOf(token: Tokens.Code): string {
  return /^[\w#+.-]{1,24}/.exec(token.lang ?? '')?.[0] ?? ''
}

/** Without extensions the lexer makes no other tokens; anything else would be one of a newer version. */
function isKnown(token: Token): token is MarkedToken {
  return TYPES.has(token.type)
}
