/** A connection of another piece of code; it opens once all others made way. */
export function openRaw(
  name: string,
  version?: number,
  upgrade: (database: IDBDatabase) => void = () => {},
): Promise<IDBDatabase> {
  return new Promise((resolve, reject) => {
    const request = indexedDB.open(name, version)
    request.addEventListener('upgradeneeded', () => upgrade(request.result))
    request.addEventListener('success', () => resolve(request.result))
    request.addEventListener('error', () => reject(request.error))
  })
}

/** Puts records into the object store of the storages, whatever they are. */
export async function putRaw(name: string, records: readonly unknown[]): Promise<void> {
  const database = await openRaw(name)
  await new Promise<void>((resolve, reject) => {
    const transaction = database.transaction('records', 'readwrite')
    for (const record of records) transaction.objectStore('records').put(record)
    transaction.addEventListener('complete', () => resolve())
    transaction.addEventListener('error', () => reject(transaction.error))
  })
  database.close()
}

/** Deletes a database, once all connections made way. */
export function deleteRaw(name: string): Promise<void> {
  return new Promise((resolve, reject) => {
    const request = indexedDB.deleteDatabase(name)
    request.addEventListener('success', () => resolve())
    request.addEventListener('error', () => reject(request.error))
  })
}
