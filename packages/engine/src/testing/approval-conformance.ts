import { BrokenRule } from './broken-rule.ts'
import { pageFaults, type Fault } from './approval-conformance/faults.ts'
import { pageScenarios } from './approval-conformance/page-scenarios.ts'
import { PageSite, type OpenPage } from './approval-conformance/page-site.ts'
import { plays } from './approval-conformance/play.ts'
import { scenarios } from './approval-conformance/scenarios.ts'
import type { ApprovalInvariant } from './approval-conformance/invariants.ts'
import type { Scenario, Site } from './approval-conformance/site.ts'

/** One test of the conformance suite. */
export interface ApprovalTest<OPEN> {
  readonly name: string
  /** What it is about. Random plays hold everything to all of them. */
  readonly keeps: ApprovalInvariant
  /**
   * Resolves when the invariant holds; rejects with an `Error` that says what happened instead.
   *
   * @param open opens what is tested
   */
  run(open: OPEN): Promise<void>
}

/** Options of {@link approvalConformance}. */
export interface ApprovalConformanceOptions {
  /** How many random plays. Default 25. */
  readonly plays?: number
  /** The number of the first one. Default 1. */
  readonly seed?: number
}

/**
 * What makes a yes a yes, as tests for any test runner: written scenarios, and random plays against a
 * reference. Each test has a conversation of its own and rejects with an `Error` that tells its story:
 *
 * ```ts
 * for (const { name, run } of approvalConformance('page')) it(name, () => run(openPage))
 * ```
 */
export function approvalConformance(
  _level: 'page',
  { plays: count = 25, seed = 1 }: ApprovalConformanceOptions = {},
): readonly ApprovalTest<OpenPage>[] {
  return [...scenarios, ...pageScenarios, ...plays(count, seed)].map((scenario) =>
    testOf(scenario, (open: OpenPage) => PageSite.open(open)),
  )
}

export function approvalFaults(level: 'page'): readonly ApprovalTest<OpenPage>[] {
  return pageFaults.map((fault) => faultTest(fault, approvalConformance(level, { plays: 0 })))
}

function faultTest<OPEN>(
  { name, breaks, make }: Fault<OPEN>,
  tests: readonly ApprovalTest<OPEN>[],
): ApprovalTest<OPEN> {
  return {
    name: `notices a page that ${name}`,
    keeps: breaks,
    async run(open) {
      for (const { keeps, run } of tests) {
        if (keeps !== breaks) continue
        const thrown = await run(make(open)).then(
          () => undefined,
          (error: unknown) => error,
        )
        if (thrown instanceof BrokenRule) return
        if (thrown !== undefined) throw thrown
      }
      throw new Error(`Nothing notices a page that ${name}.`)
    },
  }
}

function testOf<SITE extends Site, OPEN>(
  { name, keeps, act }: Scenario<SITE>,
  openSite: (open: OPEN) => Promise<SITE>,
): ApprovalTest<OPEN> {
  return {
    name,
    keeps,
    async run(open) {
      const site = await openSite(open)
      try {
        await act(site)
      } finally {
        await site.close()
      }
    },
  }
}
