import type { EngineStorage } from '@assent/engine'

/** A store of which it can be asked whether all that the engine said is in it. */
export interface WatchedStorage {
  readonly storage: EngineStorage
  /** Stores what is not stored yet; whether all of it is durable. */
  save(): Promise<boolean>
}

export function watchStorage(storage: EngineStorage): WatchedStorage {
  let save = async () => true
  return {
    save: () => save(),
    storage: {
      open(host) {
        const persistence = storage.open(host)
        save = () => persistence.save().then((result) => result === 'stored')
        return persistence
      },
    },
  }
}
