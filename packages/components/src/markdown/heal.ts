import remend from 'remend'

/** Closes what is still open in Markdown that arrives: emphasis, code, links. */
export function heal(text: string): string {
  return remend(text, { linkMode: 'text-only', htmlTags: false })
}
