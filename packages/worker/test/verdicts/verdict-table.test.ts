import { describe, expect, test } from 'vitest'
import { SURFACES, type VerdictRow } from './verdict-row.ts'
import { explainVerdict, playVerdict } from './verdict-surfaces.ts'
import { VERDICTS } from './verdict-table.ts'

test('has more than sixty verdicts and configurations, no two alike', () => {
  expect(VERDICTS.length).toBeGreaterThan(60)
  expect(new Set(VERDICTS.map(({ name }) => name)).size).toBe(VERDICTS.length)
})

describe.each(SURFACES)('a call decided by: %s', (surface) => {
  const rows = VERDICTS.filter(({ on = SURFACES }) => on.includes(surface)).map(
    (row): [string, VerdictRow] => [row.name, row],
  )

  test.each(rows.filter(([, { says }]) => says !== 'mistake'))('%s', async (_name, row) => {
    const { says, reports = [] } = row
    const expected = typeof says === 'string' ? says : says[surface]
    expect(await playVerdict(surface, row)).toEqual({
      outcome: expected,
      runs: expected === 'run' ? 1 : 0,
      reports: Array.isArray(reports)
        ? reports
        : Object.entries(reports).find(([on]) => on === surface)?.[1],
    })
  })

  test.each(rows.filter(([, { says }]) => says === 'mistake'))('refuses %s', async (_name, row) => {
    await expect(playVerdict(surface, row)).rejects.toThrow('No tool has this name')
  })
})

describe('explainApproval says the same of', () => {
  const rows = VERDICTS.filter(
    ({ on = SURFACES, says, tool }) =>
      on.includes('page') && says !== 'mistake' && tool !== 'provider',
  )

  test.each(rows.map((row): [string, VerdictRow] => [row.name, row]))('%s', async (_name, row) => {
    const { says } = row
    const expected = typeof says === 'string' ? says : says.page
    const { type, by } = await explainVerdict(row)
    // A call that a person answers is not asked about.
    expect(expected === 'none' ? by : type).toBe(expected === 'none' ? 'elsewhere' : expected)
  })
})
