import { describe, expect, it } from 'vitest'
import { createRedactor } from './create-redactor.ts'

const whole = { toolName: 'run', isPartial: false }
const partial = { toolName: 'run', isPartial: true }
const redact = createRedactor()
const MASK = '[secret: kubernetes secret]'
const [conn, pair] = ['cG9zdGdyZXM6', 'aGVsbG8td29ybGQ=']

/** A secret as `kubectl get -o yaml` prints it: what it is comes last. */
const YAML = `apiVersion: v1
data:
  conn: ${conn}
  ca.crt: |
    ${pair}
    ${pair}
kind: Secret
metadata:
  name: shop
`
const JSON_TEXT = JSON.stringify(
  { apiVersion: 'v1', data: { conn, pair }, kind: 'Secret', metadata: { name: 'shop' } },
  null,
  2,
)

describe('a secret of Kubernetes', () => {
  it('has its values masked, and nothing else', () => {
    expect(redact(YAML, whole)).toBe(YAML.replaceAll(conn, MASK).replaceAll(pair, MASK))
    expect(redact(JSON_TEXT, whole)).toBe(JSON_TEXT.replaceAll(conn, MASK).replaceAll(pair, MASK))
    const text = JSON.stringify(JSON_TEXT.replaceAll(/\n */g, ''))
    expect(redact(text, whole)).toBe(text.replaceAll(conn, MASK).replaceAll(pair, MASK))
  })

  it('as it is written by people has its values masked', () => {
    const text = `apiVersion: v1\nkind: Secret\nstringData:\n  conn: "${conn}"\n---\napiVersion: v1\nkind: ConfigMap\ndata:\n  a: ${pair}\n`
    expect(redact(text, whole)).toBe(text.replace(`"${conn}"`, MASK))
  })

  it('may say first what it is', () => {
    const text = `kind: Secret\napiVersion: v1\nstringData:\n  pw: ${conn}\n`
    expect(redact(text, whole)).toBe(text.replace(conn, MASK))
    const other = `kind: ConfigMap\napiVersion: v1\ndata:\n  a: ${conn}\n`
    expect(redact(other, whole)).toBe(other)
  })

  it('in a list has its values masked, and what is beside it stays', () => {
    const item = (kind: string) =>
      `- apiVersion: v1\n  data:\n    conn: ${conn}\n  kind: ${kind}\n  metadata:\n    name: x\n`
    const text = `apiVersion: v1\nitems:\n${item('ConfigMap')}${item('Secret')}kind: List\n`
    const last = text.lastIndexOf(conn)
    expect(redact(text, whole)).toBe(text.slice(0, last) + MASK + text.slice(last + conn.length))
  })

  it.each([
    ['YAML', YAML],
    ['JSON', JSON_TEXT],
  ])('shows none of its values before it is known what they are: %s', (_name, text) => {
    for (let length = 0; length <= text.length; length++) {
      const shown = redact(text.slice(0, length), partial)
      expect(shown).not.toContain(conn.slice(0, 4))
      expect(shown).not.toContain(pair.slice(0, 4))
    }
  })

  it('that is still read shows what it is once that is known', () => {
    const text = `apiVersion: v1\ndata:\n  a: ${pair}\nkind: ConfigMap\nmetadata: x`
    expect(redact(text, partial)).toContain(pair)
  })
})
