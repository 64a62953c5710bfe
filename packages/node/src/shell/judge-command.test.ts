import { describe, expect, it } from 'vitest'
import { ASKED, DENIED, EVERYDAY } from './command-corpus.fixture.ts'
import { judgeCommand } from './judge-command.ts'

const verdictOf = (command: string) => judgeCommand(command).verdict

describe('the corpus of commands', () => {
  it('is large, and names none twice', () => {
    const all = [...EVERYDAY, ...ASKED, ...DENIED]
    expect(all.length).toBeGreaterThanOrEqual(400)
    expect(new Set(all).size).toBe(all.length)
  })

  it('has no dangerous command that runs without a yes', () => {
    expect(ASKED.filter((command) => verdictOf(command) === 'allow')).toEqual([])
    expect(DENIED.filter((command) => verdictOf(command) !== 'deny')).toEqual([])
  })

  it('has no everyday command that is asked about', () => {
    const asked = EVERYDAY.map((command) => judgeCommand(command)).filter(
      ({ verdict }) => verdict !== 'allow',
    )
    expect(asked).toEqual([])
  })

  it('is asked about, not refused, where a person may say yes', () => {
    expect(ASKED.filter((command) => verdictOf(command) === 'deny')).toEqual([])
  })
})
