import { describe, expect, it } from 'vitest'
import type { Slot } from './message-draft.ts'
import { SlotIndex } from './slot-index.ts'

function slot(index: number): Slot {
  return { index, part: { type: 'text', text: `${index}` }, age: 0 }
}

describe('an index of parts', () => {
  it.for(['a', '__proto__', 'constructor', ''])(
    'finds nothing by an id it was not given: %j',
    (id) => {
      expect(new SlotIndex().get(id)).toBeUndefined()
    },
  )

  it('finds the latest part of an id, and the one before when that is removed', () => {
    const index = new SlotIndex()
    const [first, second] = [slot(1), slot(2)]
    index.add('__proto__', first)
    index.add('__proto__', second)
    expect(index.get('__proto__')).toBe(second)
    index.remove('__proto__', 2)
    expect(index.get('__proto__')).toBe(first)
    index.remove('__proto__', 7)
    expect(index.get('__proto__')).toBe(first)
    index.clear()
    expect(index.get('__proto__')).toBeUndefined()
  })

  it('removes a part from under a later one', () => {
    const index = new SlotIndex()
    const later = slot(2)
    index.add('a', slot(1))
    index.add('a', later)
    index.remove('a', 1)
    expect(index.get('a')).toBe(later)
    index.remove('a', 2)
    expect(index.get('a')).toBeUndefined()
  })
})
