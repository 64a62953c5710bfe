import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { createRedactor } from './create-redactor.ts'
import { GITLEAKS_NAMED, GITLEAKS_SHAPES } from './gitleaks-rules.ts'

const whole = { toolName: 'run', isPartial: false }
const partial = { toolName: 'run', isPartial: true }
const redact = createRedactor()

const rowsOf = (table: string) =>
  table
    .trim()
    .split('\n')
    .map((row) => row.split('\t'))

/** Texts that a pattern matches, always the same ones. Looking ahead is left out: every other sample has a digit. */
function samplesOf(pattern: string): string[] {
  const source = pattern.replaceAll(/\(\?=[^)]*\)/g, '').replaceAll(String.raw`\w*`, '')
  const matching = fc.stringMatching(new RegExp(`^(?:${source})$`))
  return fc
    .sample(matching, { numRuns: 40, seed: 5 })
    .filter(
      (text) =>
        new RegExp(`^(?:${pattern})$`).test(text) && /\d/.test(text) && !text.startsWith('='),
    )
    .slice(0, 5)
}

const shapes = rowsOf(GITLEAKS_SHAPES).map(([kind = '', , pattern = '']) => ({ kind, pattern }))
const named = rowsOf(GITLEAKS_NAMED).flatMap(([pattern = '', names = '']) =>
  names.split(' ').map((name) => ({ name, pattern })),
)

describe('the rules of gitleaks', () => {
  it('are all there', () => {
    expect(shapes.length).toBeGreaterThan(100)
    expect(named.length).toBeGreaterThan(90)
  })

  it.each(shapes)('find a $kind', ({ pattern, kind }) => {
    const samples = kind.startsWith('huggingface')
      ? [
          pattern.includes('api_org')
            ? `api_org_${'qxkd'.repeat(9).slice(0, 34)}`
            : `hf_${'qxkd'.repeat(9).slice(0, 34)}`,
        ]
      : samplesOf(pattern)
    expect(samples).not.toEqual([])
    for (const sample of samples) {
      for (const [before, after] of [
        ['it is ', ' here'],
        ['{"a":"', '"}'],
        ['(', ')'],
        ['', ''],
      ]) {
        const masked = redact(`${before}${sample}${after}`, whole)
        expect(masked).not.toContain(sample.slice(-8))
        expect(masked).toMatch(/\[secret: /)
      }
    }
  })

  it.each(named)('find a value of $name like $pattern', ({ name, pattern }) => {
    const samples = samplesOf(pattern)
    expect(samples).not.toEqual([])
    for (const sample of samples) {
      for (const text of [
        `${name}_id = "${sample}"`,
        `${name.toUpperCase()}=${sample}\n`,
        `{"${name}": "${sample}"}`,
        `${name} => '${sample}'`,
      ]) {
        expect(redact(text, whole)).not.toContain(sample)
      }
    }
  })

  it('show no more than the beginning of a secret while it streams', () => {
    const secrets = [
      ...shapes
        .flatMap(({ pattern }) => samplesOf(pattern).slice(0, 1))
        .map((secret) => ['it is ', secret]),
      ...named.flatMap(({ name, pattern }) =>
        samplesOf(pattern)
          .slice(0, 1)
          .map((secret) => [`${name}_id = "`, secret]),
      ),
    ]
    for (const [before = '', secret = ''] of secrets) {
      const { length } = secret
      for (const seen of [5, 8, length >> 1, length - 1, length]) {
        const shown = redact(before + secret.slice(0, seen), partial)
        expect(shown.slice(before.length)).not.toContain(secret.slice(0, 5))
      }
    }
  })

  it.each([
    [
      'names of services in prose',
      'Our asana, jira: see the linear board = done; twitter: @somebody.',
    ],
    ['words as values', 'linear = internationalizationsupport, travis: abcdefghijklmnopqrstuv'],
    ['a hash of a commit', 'sourcegraph at 3f786850e387550fdab836ed7e6dc881de23001b'],
    ['a property', 'const x = s.internationalizationText(s.abcdefghijklmnopqrstuvwx)'],
    ['words that begin so', 'skeleton pattern extra api-docs patient task-runner a3-paper'],
  ])('leave %s', (_name, text) => {
    expect(redact(text, whole)).toBe(text)
  })

  // The others read a bounded number of characters at each place.
  const unbounded = rowsOf(GITLEAKS_SHAPES).filter(([, , pattern = '']) =>
    /[\])](?:[+*]|\{\d+,\}|\{\d+,\d{3,}\})/.test(pattern),
  )
  it.each(unbounded.flatMap(([, starts = '']) => starts.split(' ')))(
    'take linear time for "%s" again and again',
    (start) => {
      const costOf = (length: number) => {
        const text = `${start.repeat(Math.ceil(length / start.length))}(`
        const times = [1, 2].map(() => {
          const began = process.threadCpuUsage()
          redact(text, whole)
          return process.threadCpuUsage(began).user / 1_000
        })
        return Math.min(...times)
      }
      // Linear is 16, quadratic 256; what is too short to be measured is no measure.
      expect(costOf(100_000) / Math.max(costOf(6_250), 2)).toBeLessThan(80)
    },
  )
})
