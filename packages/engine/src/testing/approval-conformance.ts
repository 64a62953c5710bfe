import { BrokenRule } from './broken-rule.ts'
import type { Fault } from './approval-conformance/fault.ts'
import { pageFaults } from './approval-conformance/page-faults.ts'
import { handlerScenarios, routeScenarios } from './approval-conformance/server-scenarios.ts'
import { handlerFaults, routeFaults } from './approval-conformance/server-faults.ts'
import {
  ServerSite,
  type ApprovalRoute,
  type OpenHandler,
  type OpenRoute,
  type RouteSetup,
} from './approval-conformance/server-site.ts'
import { World } from './approval-conformance/world.ts'
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

/** What is opened at each level. */
interface Opened {
  readonly page: OpenPage
  readonly 'plain route': OpenRoute
  readonly handler: OpenHandler
}

/** What is tested at each level. */
export type ApprovalLevel = keyof Opened

/**
 * What makes a yes a yes, as tests for any test runner: written scenarios, and random plays against a
 * reference. Each test has a conversation of its own and rejects with an `Error` that tells its story:
 *
 * ```ts
 * for (const { name, run } of approvalConformance('page')) it(name, () => run(openPage))
 * ```
 *
 * @param level what you open: a `page`, in which an engine runs tools; a `plain route` of the AI SDK,
 *   with `strictApproval` and signed approvals; or a `handler`, such as `createChatHandler`, that also
 *   counts approvals and knows users and the time
 */
export function approvalConformance<LEVEL extends ApprovalLevel>(
  level: LEVEL,
  options: ApprovalConformanceOptions = {},
): readonly ApprovalTest<Opened[LEVEL]>[] {
  return TESTS[level](options)
}

const common = ({ plays: count = 25, seed = 1 }: ApprovalConformanceOptions) => [
  ...scenarios,
  ...plays(count, seed),
]

const TESTS: {
  readonly [LEVEL in ApprovalLevel]: (
    options: ApprovalConformanceOptions,
  ) => readonly ApprovalTest<Opened[LEVEL]>[]
} = {
  page: (options) => testsOf([...common(options), ...pageScenarios], PageSite.open),
  'plain route': (options) => testsOf([...common(options), ...routeScenarios], openServer),
  handler: (options) =>
    testsOf([...common(options), ...routeScenarios, ...handlerScenarios], openServer),
}

const FAULTS: {
  readonly [LEVEL in ApprovalLevel]: readonly Fault<Opened[LEVEL]>[]
} = { page: pageFaults, 'plain route': routeFaults(), handler: handlerFaults }

/**
 * Mistakes that {@link approvalConformance} must notice, each made around what you open: they show that
 * the kit sees what happens in your setup. A test rejects when nothing notices its mistake.
 */
export function approvalFaults<LEVEL extends ApprovalLevel>(
  level: LEVEL,
): readonly ApprovalTest<Opened[LEVEL]>[] {
  const tests = approvalConformance(level, { plays: 0 })
  return FAULTS[level].map((fault) => faultTest(fault, tests))
}

async function openServer<ROUTE extends ApprovalRoute>(
  open: (setup: RouteSetup) => ROUTE | Promise<ROUTE>,
): Promise<ServerSite<ROUTE>> {
  const world = new World()
  const { model, tools, toolApproval } = world
  return new ServerSite(world, await open({ model, tools, toolApproval }))
}

function faultTest<OPEN>(
  { name, breaks, make }: Fault<OPEN>,
  tests: readonly ApprovalTest<OPEN>[],
): ApprovalTest<OPEN> {
  return {
    name: `notices one that ${name}`,
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
      throw new Error(`Nothing notices one that ${name}.`)
    },
  }
}

function testsOf<SITE extends Site, OPEN>(
  acts: readonly Scenario<SITE>[],
  openSite: (open: OPEN) => Promise<SITE>,
): ApprovalTest<OPEN>[] {
  return acts.map(({ name, keeps, act }) => ({
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
  }))
}
