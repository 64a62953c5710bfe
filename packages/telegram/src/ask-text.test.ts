import type { TaskCall } from '@assent/worker'
import { describe, expect, it } from 'vitest'
import { waitingCall } from '../test/channel-harness.ts'
import { askMessages, receiptText } from './ask-text.ts'
import { english } from './words.ts'

const ask = (call: Partial<TaskCall>) => askMessages({ call: waitingCall(call) }, english)
const shownOf = (preview: NonNullable<TaskCall['preview']>) => ask({ preview }).question.text

describe('what a person is asked', () => {
  it('names characters that cannot be seen, and hosts that are not what they look like', () => {
    const { question } = ask({
      summary: 'Send to \u202Egpj.exe',
      requestReason: 'zero\u200Bwidth',
      toolName: 'se\u00ADnd',
      input: { url: 'https://аpple.com/' },
    })
    expect(question.text).toContain('Send to ⟦RLO⟧gpj.exe')
    expect(question.text).toContain('zero⟦ZWSP⟧width')
    expect(question.text).toContain('se⟦SHY⟧nd')
    expect(question.text).toContain('аpple.com ⟦xn--pple-43d.com⟧')
  })

  it('shows each kind of preview as a text', () => {
    expect(
      shownOf({
        kind: 'command',
        command: 'rm -r a',
        cwd: '/srv',
        rights: 'It may change files.',
        env: { A: '1' },
      }),
    ).toContain('# in /srv\n# It may change files.\nA=1\nrm -r a')
    expect(
      shownOf({
        kind: 'request',
        method: 'POST',
        url: 'https://a.example/x',
        headers: { accept: '*/*' },
        body: '{}',
      }),
    ).toContain('POST https://a.example/x\naccept: */*\n\n{}')
    expect(
      shownOf({
        kind: 'table',
        columns: ['id', 'name'],
        rows: [[1, null]],
        caption: 'Rows',
        total: 9,
      }),
    ).toContain('Rows\nid | name\n1 | \n(1 of 9)')
    expect(
      shownOf({
        kind: 'email',
        to: ['a@b.example'],
        bcc: ['c@d.example'],
        subject: 'Hi',
        body: 'Text',
      }),
    ).toContain('To: a@b.example\nBcc: c@d.example\nSubject: Hi\n\nText')
    const files = [{ path: 'a.md', before: 'x\n' }]
    expect(shownOf({ kind: 'command', command: 'rm a.md', files })).toContain(
      'rm a.md\n\n--- a.md\n+++ /dev/null',
    )
    expect(shownOf({ kind: 'patch', patch: '--- a\n+++ b' })).toContain('--- a\n+++ b')
    expect(shownOf({ kind: 'diff', files: [{ path: 'new.md', after: 'x\n' }] })).toContain(
      '--- /dev/null\n+++ new.md\n@@ -0,0 +1,1 @@\n+x',
    )
    // A server's word that is of no kind is shown as it is.
    expect(shownOf({ kind: 'request', method: 7 })).toContain('"method": 7')
    expect(ask({ input: { path: 'a' } }).question.text).toContain('{\n  "path": "a"\n}')
  })

  it('folds what is long, but never its hosts, paths and amounts, and hands all of it along', () => {
    const lines = Array.from({ length: 200 }, (_, at) => `line ${at}`)
    lines[150] = 'pay $12,000 to https://evil.example/pay and write /etc/passwd'
    const { question, file, ahead } = ask({ preview: { kind: 'text', text: lines.join('\n') } })
    expect(ahead).toEqual([])
    expect(question.text).not.toContain('line 149')
    expect(question.text).toContain('https://evil.example/pay')
    expect(question.text).toContain('$12,000')
    expect(question.text).toContain('/etc/passwd')
    expect(file).toBe(lines.join('\n'))
  })

  it('folds nothing that hides characters: it comes before the question, in as many messages as needed', () => {
    const text = `${'a line of the text\n'.repeat(400)}\u202Eend`
    const { question, ahead } = ask({ summary: 'Send', preview: { kind: 'text', text } })
    expect(ahead.length).toBeGreaterThan(1)
    expect(ahead.at(-1)?.text).toContain('⟦RLO⟧end')
    expect(ahead.every((part) => part.text.length <= 4_096)).toBe(true)
    expect(question.text).toContain('What it would do is shown above.')
  })

  it('is in a file when even that would be too much', () => {
    const text = `${'a line of the text\n'.repeat(4_000)}\u202Eend`
    const { question, ahead, file } = ask({ preview: { kind: 'text', text } })
    expect(ahead).toEqual([])
    expect(file).toContain('⟦RLO⟧end')
    expect(question.text).toContain('The file above has all of it.')
  })

  it('fits in one message, however long its sentence and reason are', () => {
    const endless = '👩‍👩‍👧‍👦 word '.repeat(900)
    const { question, ahead, file } = ask({
      summary: endless,
      requestReason: endless,
      toolName: endless,
    })
    expect(question.text.length).toBeLessThanOrEqual(4_096)
    expect([...ahead.map(({ text }) => text), file ?? ''].join('')).toContain('word 👩‍👩‍👧‍👦 word')
    const decision = { outcome: 'no' as const, words: endless, userId: 1, userName: endless, at: 0 }
    const receipt = receiptText(
      waitingCall({ summary: endless, requestReason: endless }),
      { kind: 'decided', decision },
      english,
    )
    expect(receipt.text.length).toBeLessThanOrEqual(4_096)
    expect(receipt.text.isWellFormed()).toBe(true)
  })
})
