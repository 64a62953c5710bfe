import { configureGlobal } from 'fast-check'
import { inject } from 'vitest'

declare module 'vitest' {
  interface ProvidedContext {
    /** What random plays begin with. */
    seed: number
  }
}

// Set up before every test file that may play at random.
configureGlobal({ seed: inject('seed') })
