import type { TextUIPart } from 'ai'

/** Inputs and outputs of tools, with what is hard about JSON. */
export const VALUES: readonly (object | string | number | null)[] = [
  {},
  { city: 'Zürich', days: 3 },
  { text: 'a "quoted" \\ line\nand \u{1f600} more', empty: '' },
  { list: [1, -2.5, 1e21, 3e-7, 0], flags: [true, false, null] },
  { deep: { deeper: [{ deepest: [[]] }] }, 'a "key"': { 'b:c': [1e25] } },
  [],
  'only text',
  7,
  null,
]

/** Inputs that are plain text. */
export const PLAIN_INPUTS: readonly string[] = [
  '{"a": [1, 2}, "b": "c"',
  'SELECT "name" FROM {table}',
  'a\u0001b',
  '',
]

export const METADATA: readonly (object | null)[] = [
  { model: 'm-1' },
  { usage: { input: 1 } },
  { usage: { output: { text: 2 } }, model: 'm-2' },
  { usage: { output: { text: undefined, audio: 3 } } },
  { list: [1, { a: 1 }] },
  { list: [2] },
  { usage: null },
  { constructor: { prototype: { polluted: true } } },
  JSON.parse('{"usage":{"__proto__":{"polluted":true},"input":9}}'),
  {},
  null,
]

export const PROVIDER_METADATA = { vendor: { id: 'p-1', cached: true } }

export const CITATION: NonNullable<TextUIPart['citations']>[number] = {
  source: { type: 'source', sourceType: 'url', id: 's', url: 'https://example.test' },
  startIndex: 1,
}
