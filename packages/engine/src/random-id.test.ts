import { afterEach, describe, expect, it, vi } from 'vitest'
import { randomId } from './random-id.ts'

describe('a random id', () => {
  afterEach(() => void vi.unstubAllGlobals())

  function expectAllDifferent(form: RegExp): void {
    const ids = Array.from({ length: 100 }, randomId)
    expect(new Set(ids).size).toBe(100)
    for (const id of ids) expect(id).toMatch(form)
  }

  it('is a UUID', () => {
    expectAllDifferent(/^[0-9a-f-]{36}$/)
    expect.assertions(101)
  })

  it('is as random where UUIDs are missing, as in an insecure context', () => {
    const { crypto } = globalThis
    vi.stubGlobal('crypto', {
      getRandomValues: (bytes: Uint8Array<ArrayBuffer>) => crypto.getRandomValues(bytes),
    })
    expectAllDifferent(/^[0-9a-f]{32}$/)
    expect.assertions(101)
  })
})
