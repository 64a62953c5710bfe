import type { WebStorageArea } from '../../src/storage/local-storage.ts'

export interface TestStorageArea extends WebStorageArea {
  /** What is on the disk; another area can be made on it. */
  readonly content: Map<string, string>
  /** How many calls changed something. */
  readonly changes: number
}

export interface TestStorageAreaOptions {
  readonly content?: Map<string, string>
  /** Code units of names and texts together. Default: no end. */
  readonly quota?: number
  /** Changes after which the process is dead: every further call throws. Default: never. */
  readonly changesToLive?: number
}

/** A Web Storage area with a disk, a quota and a moment of death. */
export function testStorageArea(options: TestStorageAreaOptions = {}): TestStorageArea {
  const { content = new Map(), quota = Infinity, changesToLive = Infinity } = options
  let changes = 0

  const alive = (): void => {
    if (changes >= changesToLive) throw new Error('The process is dead.')
  }

  return {
    content,
    get changes() {
      return changes
    },
    get length() {
      return content.size
    },
    key: (index) => {
      alive()
      return [...content.keys()][index] ?? null
    },
    getItem: (name) => {
      alive()
      return content.get(name) ?? null
    },
    setItem: (name, text) => {
      alive()
      const used = [...content].reduce(
        (sum, [other, kept]) => (other === name ? sum : sum + other.length + kept.length),
        0,
      )
      if (used + name.length + text.length > quota) {
        throw new DOMException('There is no room.', 'QuotaExceededError')
      }
      content.set(name, text)
      changes += 1
    },
    removeItem: (name) => {
      alive()
      content.delete(name)
      changes += 1
    },
  }
}
