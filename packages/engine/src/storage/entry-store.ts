/** A backend that keeps texts by name and knows no transactions. */
export interface EntryStore {
  /** Names that begin with `base`, which ends a part of a name. */
  names(base: string): Promise<readonly string[]> | readonly string[]
  /** `undefined` when there is no such entry, or none that is a text. */
  get(name: string): Promise<string | undefined> | string | undefined
  set(name: string, text: string): Promise<void> | void
  /** Nothing happens when there is no such entry. */
  delete(name: string): Promise<void> | void
}
