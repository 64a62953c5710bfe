import { AUDIT_TESTS } from './audit-tests.ts'
import { TAMPERING_TESTS } from './audit-tampering.ts'
import type { AuditTest } from './tested-audit.ts'

/**
 * What every audit must do, for whatever runs tests; each test rejects with what is wrong:
 *
 * ```ts
 * for (const { name, run } of auditConformance()) it(name, () => run(makeAudit))
 * ```
 */
export function auditConformance(): readonly AuditTest[] {
  return [...AUDIT_TESTS, ...TAMPERING_TESTS]
}
