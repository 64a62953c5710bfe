/** A backup on the server. */
export interface Backup {
  name: string
  megabytes: number
}

/** The server's backups; there is nothing behind them but memory. */
export interface Backups {
  /**
   * Deletes a backup and returns it.
   *
   * @throws Error when there is none of that name; the message says which there are
   */
  delete: (name: string) => Backup
  list: () => readonly Backup[]
}

/** A few backups in memory. */
export function createBackups(): Backups {
  const backups = new Map(
    [
      { name: 'nightly-17', megabytes: 412 },
      { name: 'nightly-18', megabytes: 418 },
      { name: 'before-migration', megabytes: 1290 },
    ].map((backup): [string, Backup] => [backup.name, backup]),
  )
  return {
    delete: (name) => {
      const backup = backups.get(name)
      if (!backup) {
        const names = [...backups.keys()].join(', ')
        throw new Error(
          `There is no backup “${name}”. ${names ? `There are: ${names}` : 'None is left'}.`,
        )
      }
      backups.delete(name)
      return backup
    },
    list: () => [...backups.values()],
  }
}
