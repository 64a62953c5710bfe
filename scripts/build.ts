// Builds and checks everything that is published: `pnpm build`.
import { packageSteps } from './build-steps.ts'
import { runToTheEnd } from './run-to-the-end.ts'

await runToTheEnd(packageSteps())
