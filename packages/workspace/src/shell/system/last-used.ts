/** Values by key; beyond a number of them the oldest go. */
export class LastUsed<V> {
  readonly #values = new Map<string, V>()
  readonly #most: number

  constructor(most: number) {
    this.#most = most
  }

  get(key: string): V | undefined {
    return this.#values.get(key)
  }

  set(key: string, value: V): void {
    this.#values.delete(key)
    this.#values.set(key, value)
    for (const oldest of this.#values.keys()) {
      if (this.#values.size <= this.#most) return
      this.#values.delete(oldest)
    }
  }

  delete(key: string): void {
    this.#values.delete(key)
  }
}
