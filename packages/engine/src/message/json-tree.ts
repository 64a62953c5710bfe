/** A container that is still open. It is private until it closes: what is handed out are copies. */
type Open =
  | { readonly items: unknown[] }
  | { readonly members: Record<string, unknown>; key: string }

/** A value that is not there yet, as opposed to `null`. */
export const NOTHING = Symbol('nothing yet')

/** A JSON value that grows from the outside in, and snapshots of it that do not. */
export class JsonTree {
  readonly #open: Open[] = []
  /** The whole value, once it is complete. */
  #root: unknown = NOTHING

  get isComplete(): boolean {
    return this.#root !== NOTHING
  }

  /** The kind of the innermost open container. */
  get container(): 'array' | 'object' | undefined {
    const open = this.#open.at(-1)
    return open && ('items' in open ? 'array' : 'object')
  }

  openArray(): void {
    this.#open.push({ items: [] })
  }

  openObject(): void {
    this.#open.push({ members: {}, key: '' })
  }

  /** The key of the next value of the innermost object. */
  setKey(key: string): void {
    const open = this.#open.at(-1)
    if (open && 'members' in open) open.key = key
  }

  /** Closes the innermost container. */
  close(): void {
    const closed = this.#open.pop()
    if (closed) this.add('items' in closed ? closed.items : closed.members)
  }

  /** Adds a complete value where the tree grows. */
  add(value: unknown): void {
    const open = this.#open.at(-1)
    if (!open) this.#root = value
    else if ('items' in open) open.items.push(value)
    else setOwn(open.members, open.key, value)
  }

  /**
   * The value with `tip`, which may be {@link NOTHING}, at the place where the tree grows. Copies the
   * open containers, from the inside out, and shares all that is complete.
   */
  snapshot(tip: unknown): unknown {
    let value = this.isComplete ? this.#root : tip
    for (let depth = this.#open.length - 1; depth >= 0; depth--) {
      const open = this.#open[depth]
      if (open) value = withChild(open, value)
    }
    return value
  }
}

function withChild(open: Open, child: unknown): unknown {
  if ('items' in open) return child === NOTHING ? [...open.items] : [...open.items, child]
  const members = { ...open.members }
  if (child !== NOTHING) setOwn(members, open.key, child)
  return members
}

/** Assigning to `__proto__` would change the prototype instead. */
function setOwn(members: Record<string, unknown>, key: string, value: unknown): void {
  if (key === '__proto__') {
    const property = { value, writable: true, enumerable: true, configurable: true }
    Object.defineProperty(members, key, property)
  } else {
    members[key] = value
  }
}
