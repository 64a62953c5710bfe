import type { Difference } from './difference.ts'
import { DIFFERENCES_ABOUT_CALLS } from './differences-about-calls.ts'
import { DIFFERENCES_ABOUT_READING } from './differences-about-reading.ts'

/** All streams that are read otherwise than the AI SDK reads them. */
export const DIFFERENCES_ON_PURPOSE: readonly Difference[] = [
  ...DIFFERENCES_ABOUT_CALLS,
  ...DIFFERENCES_ABOUT_READING,
]
