import { describe, expect, it } from 'vitest'
import { createRedactor } from './create-redactor.ts'

const whole = { toolName: 'run', isPartial: false }
const partial = { toolName: 'run', isPartial: true }
const redact = createRedactor()

const key = [
  '-----BEGIN PRIVATE',
  ' KEY-----\\nMIIEvQ',
  '\\n-----END PRIVATE',
  ' KEY-----\\n',
].join('')
const account = `{
  "type": "service_account",
  "project_id": "shop",
  "private_key_id": "0a1b2c3d4e5f",
  "private_key": "${key}",
  "client_email": "bot@shop.iam.test"
}`

describe('the key file of a service account', () => {
  it.each([
    ['as it is', account],
    ['in one line', account.replaceAll(/\n */g, '')],
    ['in a text of JSON', JSON.stringify(account).slice(1, -1)],
    [
      'with the key first',
      account.replace(/( {2}"type".*\n)([^]*)(\n})/, '$2,\n  "type": "service_account"$3'),
    ],
  ])('is masked whole: %s', (_name, text) => {
    expect(redact(`key: ${text} end`, whole)).toBe('key: [secret: service account] end')
  })

  it('that is cut off is masked to the end', () => {
    const text = account.slice(0, account.indexOf('"client_email"'))
    expect(redact(`key: ${text}`, whole)).toBe('key: [secret: service account]')
  })

  it('shows nothing of what comes after its type, wherever it is cut', () => {
    for (let length = 0; length <= account.length; length++) {
      const shown = redact(`key: ${account.slice(0, length)}`, partial)
      expect(shown).not.toMatch(/shop|0a1b|MIIE|bot@/)
    }
  })

  it('beside others is masked by itself', () => {
    expect(redact(`[${account}, ${account}, {"a": 1}]`, whole)).toBe(
      '[[secret: service account], [secret: service account], {"a": 1}]',
    )
  })
})

describe('a signature of Azure', () => {
  it('is not shown before it is known whether it is one', () => {
    const address = `https://a.test/c?sig=${'aB3'.repeat(10)}&sp=r&se=2027 end`
    for (let length = 0; length <= address.length; length++) {
      expect(redact(address.slice(0, length), partial)).not.toContain('aB3a')
    }
    expect(redact(address, whole)).toBe(
      'https://a.test/c?sig=[secret: azure signature]&sp=r&se=2027 end',
    )
  })

  it('in a page is one too', () => {
    expect(redact(`href="?sv=2024&amp;sig=${'aB3'.repeat(10)}"`, whole)).toBe(
      'href="?sv=2024&amp;sig=[secret: azure signature]"',
    )
  })
})

describe('a password of curl', () => {
  it.each([
    ['curl -uada:s3cret! x', 'curl -uada:[secret: password] x'],
    ['curl -su ada:s3cret x', 'curl -su ada:[secret: password] x'],
    ['$ curl.exe -U ada:s3cret x', '$ curl.exe -U ada:[secret: password] x'],
    ['curl \\\n -X POST \\\n -u ada:s3cret', 'curl \\\n -X POST \\\n -u ada:[secret: password]'],
    ['curl -u "ada:s3 cret" x', 'curl -u "ada:[secret: password]" x'],
  ])('is masked: %s', (text, masked) => {
    expect(redact(text, whole)).toBe(masked)
  })

  it('is none in the line after', () => {
    const text = 'curl x\nsudo -u ada:staff ls'
    expect(redact(text, whole)).toBe(text)
  })
})
