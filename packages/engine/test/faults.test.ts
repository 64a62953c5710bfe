import { describe, expect, it } from 'vitest'
import { FAULTS as DECISION_FAULTS } from './approvals/faults.ts'
import { STORED_FAULTS } from './approvals/stored-faults.ts'
import { FAULTS as CRASH_FAULTS } from './crash/faults.ts'
import { FAULTS as SHARING_FAULTS } from './sharing/faults.ts'
import { faultyText, FAULTS as TURN_FAULTS } from './turns/faults.ts'

/** All, though most are only tried in the heavier run: each must be there to be tried. */
const ALL = Object.entries({
  turns: TURN_FAULTS,
  decisions: DECISION_FAULTS,
  stored: STORED_FAULTS,
  crashes: CRASH_FAULTS,
  sharing: SHARING_FAULTS,
}).flatMap(([of, faults]) => faults.map((fault) => ({ of, fault, name: fault.name })))

describe('a fault that the random plays must notice', () => {
  it.each(ALL)('can be made in the sources, of $of: $name', ({ fault }) => {
    expect(() => faultyText(fault)).not.toThrow()
  })
})
