// What is checked while one works: `npm test`. With `--deep`, the tests that have a heavier variant, in
// that variant, and what is published: `pnpm test:deep`.
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { packageSteps, siteSteps } from './build-steps.ts'
import { ROOT } from './child.ts'
import { requireChromium } from './chromium.ts'
import { checkStep, type Step } from './run-steps.ts'
import { runToTheEnd } from './run-to-the-end.ts'
import { vitestStep } from './vitest-step.ts'

/** Set to `1` for the heavier variants; the tests that have one read it. */
const DEEP = 'ASSENT_DEEP'
/** Milliseconds that one test may take in its heavier variant. */
const DEEP_TIMEOUT = 600_000

/** Tests that only the heavier run has: what others show in less time, in more places. */
const ONLY_DEEP = ['conversations', 'endpoint', 'gallery', 'two-browsers', 'two-tabs'].map(
  (name) => `playground/e2e/${name}.test.ts`,
)

const { execPath } = process

/** What computes; the tests in a browser, which mostly wait for it, go beside it. */
function computingSteps(): Step[] {
  return [
    checkStep('Lint', 'oxlint', ['--deny-warnings']),
    checkStep('Floors', execPath, ['scripts/check-floors.ts']),
    checkStep('Format', 'oxfmt', ['--check', '.']),
    // Each package by its own configuration is checked where its declarations are made, when it is built.
    checkStep('Types', 'vue-tsc', ['-p', 'tsconfig.json', '--noEmit']),
    vitestStep('Unit tests', { projects: ['engine', 'vue', 'node', 'playground'] }),
  ]
}

/** One half of the tests in a browser: a browser of its own has the focus of its own. */
function browserSteps(shard: '1/2' | '2/2'): Step[] {
  return [
    inChromium(vitestStep(`Browser tests ${shard}`, { projects: ['browser'], shard })),
    inChromium(
      vitestStep(`End-to-end tests ${shard}`, { projects: ['e2e'], exclude: ONLY_DEEP, shard }),
    ),
  ]
}

/** A step that fails, and says how to get one, where there is no Chromium. */
function inChromium(step: Step): Step {
  return {
    name: step.name,
    run: () => {
      requireChromium()
      return step.run()
    },
  }
}

/**
 * The tests of these projects that have a heavier variant, which are those whose file names the switch,
 * and those that the usual run leaves out.
 */
function deepStep(name: string, folders: string, projects: readonly string[]): Step {
  const files = globSync(`${folders}/**/*.test.ts`, {
    cwd: ROOT,
    exclude: ['**/node_modules/**', '**/dist/**'],
  }).filter(
    (file) => ONLY_DEEP.includes(file) || readFileSync(join(ROOT, file), 'utf8').includes(DEEP),
  )
  return {
    name,
    run: () => {
      if (files.length === 0) throw new Error(`No test file in ${folders} mentions ${DEEP}.`)
      const env = { [DEEP]: '1' }
      return vitestStep(name, { projects, files, env, testTimeout: DEEP_TIMEOUT }).run()
    },
  }
}

if (process.argv.includes('--deep')) {
  await runToTheEnd(
    [deepStep('Deep tests', 'packages/{engine,node}', ['engine', 'node'])],
    [
      inChromium(deepStep('Deep end-to-end tests', 'playground', ['e2e'])),
      inChromium(deepStep('Deep browser tests', 'packages/components', ['browser'])),
      ...packageSteps(),
      ...siteSteps(),
    ],
  )
} else await runToTheEnd(computingSteps(), browserSteps('1/2'), browserSteps('2/2'))
