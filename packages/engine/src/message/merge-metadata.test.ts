import { describe, expect, it } from 'vitest'
import { mergeMetadata } from './merge-metadata.ts'

describe('merging metadata', () => {
  it('merges objects at every depth and leaves both as they were', () => {
    const base = { model: 'm', usage: { input: 1, by: { step: 1 } } }
    const added = { usage: { output: 2, by: { total: 3 } } }
    const before = JSON.stringify([base, added])
    expect(mergeMetadata(base, added)).toEqual({
      model: 'm',
      usage: { input: 1, output: 2, by: { step: 1, total: 3 } },
    })
    expect(JSON.stringify([base, added])).toBe(before)
  })

  it('replaces arrays, dates and everything else that is no plain object', () => {
    const date = new Date(0)
    expect(mergeMetadata({ a: [1, 2], b: { c: 1 }, d: {} }, { a: [3], b: null, d: date })).toEqual({
      a: [3],
      b: null,
      d: date,
    })
    expect(mergeMetadata('text', { a: 1 })).toEqual({ a: 1 })
    expect(mergeMetadata({ a: 1 }, 7)).toBe(7)
    expect(mergeMetadata([1], { a: 1 })).toEqual({ a: 1 })
  })

  it.for([undefined, null])('takes %s for nothing said', (nothing) => {
    const base = { a: 1 }
    expect(mergeMetadata(base, nothing)).toBe(base)
    expect(mergeMetadata(undefined, nothing)).toBeUndefined()
    expect(mergeMetadata({ a: 1 }, { a: undefined })).toEqual({ a: 1 })
  })

  it('reaches no prototype', () => {
    const hostile: unknown = JSON.parse(
      '{"__proto__":{"polluted":1},"constructor":{"prototype":{"polluted":1}},' +
        '"deep":{"__proto__":{"polluted":1}},"prototype":1}',
    )
    const merged = mergeMetadata({ deep: { a: 1 } }, hostile)
    expect(merged).toStrictEqual({ deep: { a: 1 } })
    expect(Object.hasOwn(Object.prototype, 'polluted')).toBe(false)
  })

  it('does not take inherited names for something to merge into', () => {
    expect(mergeMetadata({}, { toString: { a: 1 } })).toEqual({ toString: { a: 1 } })
  })

  it('goes as deep as the server likes', () => {
    const depth = 20_000
    const nested = (leaf: string): unknown =>
      JSON.parse(`${'{"a":'.repeat(depth)}{"${leaf}":1}${'}'.repeat(depth)}`)
    let value = mergeMetadata(nested('left'), nested('right'))
    for (let level = 0; level < depth; level++) value = Reflect.get(Object(value), 'a')
    expect(value).toEqual({ left: 1, right: 1 })
  })
})
