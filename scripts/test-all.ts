// What is checked while one works: `npm test`. With `--deep`, the tests that have a heavier variant, in
// that variant, and what is published: `pnpm test:deep`. With `--soak`, what takes hours: `pnpm test:soak`.
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { packageSteps, siteSteps } from './build-steps.ts'
import { ROOT } from './child.ts'
import { getBubblewrap } from './get-bubblewrap.ts'
import { getChromium } from './get-chromium.ts'
import { getNode22, NODE_22 } from './get-node-22.ts'
import { checkStep, type Step } from './run-steps.ts'
import { runToTheEnd } from './run-to-the-end.ts'
import { vitestStep } from './vitest-step.ts'

/** A heavier variant of tests; those that have one read the switch. */
interface Variant {
  readonly name: string
  /** A variable of the environment, `1` in this variant; the file of a test that has it names it. */
  readonly mark: string
  readonly env: Readonly<Record<string, string>>
  /** Milliseconds that one test may take. */
  readonly testTimeout: number
  /** Files that have no other variant. */
  readonly only: readonly string[]
}

/** Tests that only the heavier run has: what others show in less time, in more places; and the scripts'. */
const ONLY_DEEP = globSync(
  [
    'playground/e2e/{audit,cluster,cluster-load,conversation,conversations,deploys,dev-server,drafts,endpoint,gallery,leaving-page,page,resume,standing-permissions,two-browsers,two-tabs,who-decides,worker}.test.ts',
    'packages/components/src/approvals/{approval-batch,audit-trail,far-calls,tray-accessibility,tray-place}.test.ts',
    'packages/components/src/bubble/{virtual,actions/message-actions}.test.ts',
    'packages/components/src/chat/{accessibility,forms-at-end,frame-cost,late-markdown,render-counts,scroll-modes,whole-turn}.test.ts',
    'packages/components/src/markdown/{streaming,highlight/highlight,mermaid/mermaid}.test.ts',
    'packages/components/src/style/pages.test.ts',
    'packages/components/src/tool-call/tool-call-{always,answer,drafts,edit,form,receipt,time,undo}.test.ts',
    'packages/{postgres,telegram,worker}/src/kills.test.ts',
    'packages/postgres/src/{conversations/shared-conversations,open-postgres,tasks/postgres-inbox.property,tasks/suspects,tasks/waiting-many,tasks/worker-kills,telegram/bot-kills}.test.ts',
    'packages/workspace/src/long-outputs.test.ts',
    'scripts/*.test.ts',
  ],
  { cwd: ROOT },
)

const DEEP: Variant = {
  name: 'Deep',
  mark: 'ASSENT_DEEP',
  env: { ASSENT_DEEP: '1' },
  testTimeout: 600_000,
  only: ONLY_DEEP,
}

/** What takes hours, and is run by hand. */
const SOAK: Variant = {
  name: 'Soak',
  mark: 'ASSENT_SOAK',
  env: { ASSENT_DEEP: '1', ASSENT_SOAK: '1' },
  testTimeout: 6 * 3_600_000,
  only: [],
}

const { execPath } = process

/** What computes; types and the tests in a browser, which mostly wait, go beside it. */
function computingSteps(): Step[] {
  return [
    checkStep('Lint', 'oxlint', ['--deny-warnings']),
    checkStep('Floors', execPath, ['scripts/check-floors.ts']),
    checkStep('Named files', execPath, ['scripts/check-names.ts']),
    checkStep('Format', 'oxfmt', ['--check', '.']),
    vitestStep('Unit tests', {
      projects: ['engine', 'vue', 'node', 'postgres', 'playground'],
      exclude: ONLY_DEEP,
      // Most of the time they wait: for processes, leases and disks.
      workers: 2,
    }),
  ]
}

function browserSteps(): Step[] {
  return [
    // Each package by its own configuration is checked where its declarations are made, when it is built.
    checkStep('Types', 'vue-tsc', ['-p', 'tsconfig.json', '--noEmit']),
    inChromium(vitestStep('Browser tests', { projects: ['browser'], exclude: ONLY_DEEP })),
    inChromium(vitestStep('End-to-end tests', { projects: ['e2e'], exclude: ONLY_DEEP })),
  ]
}

/** A step that gets a Chromium where there is none; it fails, and says how to get one, where it cannot. */
function inChromium(step: Step): Step {
  return {
    name: step.name,
    run: async () => {
      await getChromium()
      return step.run()
    },
  }
}

/** What differs most between the versions of Node that are supported: its SQLite, and what is kept there. */
const ON_NODE_22 = [
  'packages/node/src/sqlite',
  'packages/node/src/audit',
  'packages/node/src/chat/ledgers.test.ts',
  'packages/worker/src/sqlite-inbox.test.ts',
  'packages/worker/src/sqlite-replies.test.ts',
]

function node22Step(): Step {
  const name = `Tests on Node ${NODE_22}`
  return {
    name,
    run: async () => {
      const node = await getNode22()
      if (node === undefined) return { passed: 0, failed: 1 }
      return vitestStep(name, {
        node,
        projects: ['node'],
        files: ON_NODE_22,
        noRetries: true,
      }).run()
    },
  }
}

/** The tests of these projects that have a variant, in that variant. A test that needs two tries has failed. */
function variantSteps(
  variant: Variant,
  kind: string,
  folders: string,
  ...projects: string[]
): Step[] {
  const { mark, env, testTimeout, only } = variant
  const files = globSync(`${folders}/**/*.test.ts`, {
    cwd: ROOT,
    exclude: ['**/node_modules/**', '**/dist/**'],
  }).filter((file) => only.includes(file) || readFileSync(join(ROOT, file), 'utf8').includes(mark))
  if (files.length === 0) return []
  const name = `${variant.name} ${kind}`
  return [vitestStep(name, { projects, files, env, testTimeout, noRetries: true })]
}

const computing = (variant: Variant): Step[] =>
  variantSteps(
    variant,
    'tests',
    '{packages/{engine,node,telegram,vue,worker,workspace},scripts}',
    'engine',
    'node',
    'vue',
  )
const onPostgres = (variant: Variant): Step[] =>
  variantSteps(variant, 'PostgreSQL tests', 'packages/postgres', 'postgres')
const endToEnd = (variant: Variant): Step[] =>
  variantSteps(variant, 'end-to-end tests', 'playground/e2e', 'e2e').map(inChromium)
const inBrowser = (variant: Variant): Step[] =>
  variantSteps(variant, 'browser tests', 'packages/components', 'browser').map(inChromium)

// Before what runs beside each other: two that install packages would be in each other's way.
await getBubblewrap()

if (process.argv.includes('--soak')) {
  await runToTheEnd([
    ...computing(SOAK),
    ...onPostgres(SOAK),
    ...endToEnd(SOAK),
    ...inBrowser(SOAK),
  ])
} else if (process.argv.includes('--deep')) {
  await runToTheEnd(
    [...computing(DEEP), node22Step()],
    [...onPostgres(DEEP), ...endToEnd(DEEP), ...inBrowser(DEEP), ...packageSteps(), ...siteSteps()],
  )
} else await runToTheEnd(computingSteps(), browserSteps())
