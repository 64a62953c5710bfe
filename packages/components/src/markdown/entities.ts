const NAMED = new Map([
  ['amp', '&'],
  ['lt', '<'],
  ['gt', '>'],
  ['quot', '"'],
  ['apos', "'"],
  ['nbsp', '\u00a0'],
  ['copy', '©'],
  ['reg', '®'],
  ['trade', '™'],
  ['hellip', '…'],
  ['mdash', '—'],
  ['ndash', '–'],
  ['lsquo', '‘'],
  ['rsquo', '’'],
  ['ldquo', '“'],
  ['rdquo', '”'],
  ['laquo', '«'],
  ['raquo', '»'],
  ['bull', '•'],
  ['middot', '·'],
  ['times', '×'],
  ['divide', '÷'],
  ['plusmn', '±'],
  ['le', '≤'],
  ['ge', '≥'],
  ['ne', '≠'],
  ['rarr', '→'],
  ['larr', '←'],
  ['uarr', '↑'],
  ['darr', '↓'],
  ['deg', '°'],
  ['euro', '€'],
  ['sect', '§'],
  ['para', '¶'],
])

const ENTITY = /&(?:#(\d{1,7})|#[xX]([\da-fA-F]{1,6})|([a-zA-Z]{2,8}));/g

/**
 * Text with its character references resolved, as a reader of Markdown expects. The result is used
 * as text only, so nothing in it can become markup. Unknown names stay as they are.
 */
export function decodeEntities(text: string): string {
  if (!text.includes('&')) return text
  return text.replace(ENTITY, (all, decimal?: string, hex?: string, name?: string) => {
    if (name !== undefined) return NAMED.get(name) ?? all
    const code = decimal === undefined ? Number.parseInt(hex ?? '', 16) : Number(decimal)
    return isScalar(code) ? String.fromCodePoint(code) : '\ufffd'
  })
}

function isScalar(code: number): boolean {
  return code > 0 && code <= 0x10ffff && (code < 0xd800 || code > 0xdfff)
}
