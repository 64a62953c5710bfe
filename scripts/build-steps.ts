import { existsSync } from 'node:fs'
import { basename, join } from 'node:path'
import { ROOT } from './child.ts'
import { checkStep, type Step } from './run-steps.ts'
import { publishedPackages } from './workspace.ts'

const { execPath } = process

/** Builds all that is published, bottom-up, and checks what came out. */
export function packageSteps(): Step[] {
  return [
    ...publishedPackages().map(({ dir }) =>
      checkStep(`Build ${basename(dir)}`, execPath, ['--run', 'build'], { cwd: dir }),
    ),
    checkStep('Published packages', execPath, ['scripts/check-packages.ts']),
    checkStep('Sizes', execPath, ['scripts/sizes.ts']),
    checkStep('Costs of a server', execPath, ['scripts/server-costs.ts']),
  ]
}

/** Builds what is assembled from the packages: the playground, and the docs once there are any. */
export function siteSteps(): Step[] {
  const steps = [checkStep('Build playground', 'vite', ['build', 'playground'])]
  if (existsSync(join(ROOT, 'docs/index.md'))) {
    steps.push(checkStep('Build docs', execPath, ['--run', 'build'], { cwd: join(ROOT, 'docs') }))
  }
  return steps
}
