import { expect, it } from 'vitest'
import { createOverlayThreads } from './overlay-threads.ts'

it('the threads of the simulated shell say at once that a bundler has left their file out', () => {
  const bundled = new URL('./nowhere.js', import.meta.url)
  expect(() => createOverlayThreads(undefined, bundled)).toThrow(TypeError)
  expect(() => createOverlayThreads(undefined, bundled)).toThrow(/out of the bundle.*traceDeps/)
})
