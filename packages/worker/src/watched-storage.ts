import type { EngineStorage } from '@assent/engine'

/** A store of which it can be asked whether all that the engine said is in it. */
export interface WatchedStorage {
  readonly storage: EngineStorage
  /** Stores what is not stored yet; whether all of it is durable. */
  save(): Promise<boolean>
  /** What it said last that it cannot do. */
  failure(): Error | undefined
}

export function watchStorage(storage: EngineStorage): WatchedStorage {
  let save = async () => true
  let failure: Error | undefined
  return {
    save: () => save(),
    failure: () => failure,
    storage: {
      open(host) {
        const persistence = storage.open({
          ...host,
          report(error) {
            if (error.code === 'storage_failed') failure = error
            host.report(error)
          },
        })
        save = () => persistence.save().then((result) => result === 'stored')
        return persistence
      },
    },
  }
}
