import { configureGlobal } from 'fast-check'
import { inject } from 'vitest'

declare module 'vitest' {
  interface ProvidedContext {
    /** What random plays begin with. */
    seed: number
    /** Whether this is the heavier variant, where there is time for all of it. */
    ASSENT_DEEP: boolean
  }
}

// Set up before every test file that may play at random.
configureGlobal({ seed: inject('seed') })
