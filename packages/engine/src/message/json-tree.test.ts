import { describe, expect, it } from 'vitest'
import { JsonTree, NOTHING } from './json-tree.ts'

describe('a JSON tree', () => {
  it('shows open containers around what is being read', () => {
    const tree = new JsonTree()
    tree.openObject()
    tree.setKey('list')
    tree.openArray()
    tree.add(1)
    expect(tree.container).toBe('array')
    expect(tree.snapshot(NOTHING)).toEqual({ list: [1] })
    expect(tree.snapshot('tip')).toEqual({ list: [1, 'tip'] })
    tree.close()
    tree.setKey('next')
    expect(tree.container).toBe('object')
    expect(tree.snapshot(NOTHING)).toEqual({ list: [1] })
    expect(tree.snapshot(null)).toEqual({ list: [1], next: null })
  })

  it('is complete when its outermost value is', () => {
    const tree = new JsonTree()
    expect(tree.snapshot(NOTHING)).toBe(NOTHING)
    tree.openArray()
    expect(tree.isComplete).toBe(false)
    tree.close()
    expect(tree.isComplete).toBe(true)
    expect(tree.container).toBeUndefined()
    expect(tree.snapshot(NOTHING)).toEqual([])
  })

  it('does not change its snapshots, and shares what is closed between them', () => {
    const tree = new JsonTree()
    tree.openArray()
    tree.openObject()
    tree.close()
    const first = tree.snapshot(NOTHING)
    tree.add(2)
    const second = tree.snapshot(NOTHING)
    expect(first).toEqual([{}])
    expect(second).toEqual([{}, 2])
    expect(Reflect.get(Object(second), 0)).toBe(Reflect.get(Object(first), 0))
  })

  it('keeps __proto__ as an own property, closed or open', () => {
    const tree = new JsonTree()
    tree.openObject()
    tree.setKey('__proto__')
    expect(Object.keys(Object(tree.snapshot('tip')))).toEqual(['__proto__'])
    tree.add({ polluted: true })
    expect(Reflect.get(Object(tree.snapshot(NOTHING)), 'polluted')).toBeUndefined()
    expect(Object.keys(Object(tree.snapshot(NOTHING)))).toEqual(['__proto__'])
  })
})
