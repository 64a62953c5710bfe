import type { MarkedToken, Token, Tokens } from 'marked'
import { h, type Component, type VNode, type VNodeArrayChildren } from 'vue'
import type { AssentLocale } from '../locale/locale.ts'
import { citation, citedByLink, withCitations } from './citations.ts'
import { decodeEntities } from './entities.ts'
import ConsentImage from './ConsentImage.vue'
import FootnoteMark from './FootnoteMark.ts'
import MarkdownCode from './MarkdownCode.vue'
import type { MarkdownKit } from './markdown-kit.ts'
import type { SourcePart } from './sources.ts'
import { contradictedHost, safeLink } from './url-policy.ts'

/** A component that renders one token. */
export type BlockComponent = Component<{ token: Token; topDepth: number; isOpen?: boolean }>

/** What rendering needs to know beside the tokens. */
export interface RenderContext {
  /** Depth of the most important heading of the text. */
  topDepth: number
  /** Whether the end of the token may still grow. */
  isOpen: boolean
  locale: AssentLocale
  kit: MarkdownKit
  /** What `[1]` in the text refers to. */
  sources: readonly SourcePart[]
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

const FENCE_END = /\n[ \t>]*(?:`{3,}|~{3,})\s*$/

/** A token and all below it as VNodes. Everything that is not known here is shown as its text. */
export function renderBlock(token: Token, context: RenderContext): Rendered {
  if (!isKnown(token)) return renderOther(token, context)
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
      return renderCode(token, context)
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
      return token.tokens
        ? inline(token.tokens, context)
        : withCitations(decodeEntities(token.text), context.sources, context.locale)
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

/** Tokens of footnotes and plugins; what is left would be of a newer version of the lexer. */
function renderOther(token: Token, context: RenderContext): Rendered {
  if (token.type === 'footnote') return null
  if (token.type === 'footnoteMark') return h(FootnoteMark, { label: String(token['label']) })
  const own = context.kit.tokens.get(token.type)
  return own ? h(own, { token }) : token.raw
}

function renderCode(token: Tokens.Code, context: RenderContext): VNode {
  const language = languageOf(token)
  const isClosed = !context.isOpen || FENCE_END.test(token.raw)
  const own = isClosed && context.kit.fences.get(language.toLowerCase())
  return own
    ? h(own, { code: token.text })
    : h(MarkdownCode, { code: token.text, language, isClosed })
}

function renderList(token: Tokens.List, context: RenderContext): VNode {
  const { block, topDepth, isOpen } = context
  const last = token.items.length - 1
  const items = token.items.map((item, key) =>
    h(block, { token: item, topDepth, isOpen: isOpen && key === last, key }),
  )
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
  const cited = citedByLink(url, token.text, context.sources)
  const source = context.sources[cited - 1]
  if (source) return citation(source, cited, context.locale)
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

/** What the lexer makes without extensions. */
function isKnown(token: Token): token is MarkedToken {
  return TYPES.has(token.type)
}
