import { tryClaim, type ClaimOutcome } from './claim.ts'
import { passFence } from './fence.ts'
import {
  RECORDS,
  type IndexedDbConnection,
  type IndexedDbTransaction,
  type StoredRecord,
} from './indexed-db-connection.ts'
import { isReadable } from './indexed-db-records.ts'
import type { StorageClaim, StorageWriteOptions, StorageWriteResult } from './storage.ts'

/** One thing to do to the object store. */
export type RecordRequest = (store: RecordStore) => Promise<unknown>

type RecordStore = ReturnType<IndexedDbTransaction<'readwrite'>['objectStore']>

/** What a change of a namespace depends on. */
export interface ChangeConditions {
  readonly namespace: string
  readonly claim?: StorageClaim | undefined
  readonly fence?: number | undefined
}

/**
 * Makes all requests in one transaction, and resolves when it is done; none of them when its claim is
 * taken. Rejects with `fenced` for the token of a former holder.
 */
export function change(
  connection: IndexedDbConnection,
  requests: readonly RecordRequest[],
  conditions?: ChangeConditions,
  options?: Pick<StorageWriteOptions, 'durability'>,
): Promise<StorageWriteResult> {
  return transact(
    connection,
    async (store) => {
      if (conditions?.fence !== undefined) await pass(store, conditions.namespace, conditions.fence)
      const { namespace, claim } = conditions ?? {}
      let outcome: ClaimOutcome | undefined
      if (namespace !== undefined && claim) {
        const { key, id } = claim
        outcome = tryClaim(claim, heldBy(await store.get([namespace, key])))
        if (!outcome.claimed) return outcome
        send(store.put({ namespace, key, value: id }))
      }
      for (const request of requests) send(request(store))
      return outcome ?? {}
    },
    options,
  )
}

/** Gives the next token of a namespace. */
export function nextToken(connection: IndexedDbConnection, namespace: string): Promise<number> {
  return transact(
    connection,
    async (store) => {
      const token = ((await greatestOf(store, namespace)) ?? 0) + 1
      send(store.put(tokenRecord(namespace, token)))
      return token
    },
    { durability: 'strict' },
  )
}

/** @param work makes its requests before it resolves */
function transact<T>(
  connection: IndexedDbConnection,
  work: (store: RecordStore) => Promise<T>,
  options?: Pick<StorageWriteOptions, 'durability'>,
): Promise<T> {
  return connection.transact(
    'readwrite',
    async (transaction) => {
      let result: T
      try {
        result = await work(transaction.objectStore(RECORDS))
        // Not left to the page's next turn: it may have none.
        transaction.commit()
      } catch (error) {
        try {
          transaction.abort()
        } catch {
          // It was, by what failed in it.
        }
        await transaction.done.catch(() => undefined)
        throw error
      }
      await transaction.done
      return result
    },
    options,
  )
}

/** A request that fails aborts its transaction, which tells it. */
function send(request: Promise<unknown>): void {
  request.catch(() => undefined)
}

async function pass(store: RecordStore, namespace: string, token: number): Promise<void> {
  const greatest = await greatestOf(store, namespace)
  if (passFence(greatest, token) !== greatest) send(store.put(tokenRecord(namespace, token)))
}

async function greatestOf(store: RecordStore, namespace: string): Promise<number | undefined> {
  const { namespace: place, key } = tokenRecord(namespace, 0)
  const value = (await store.get([place, key]))?.value
  return typeof value === 'number' ? value : undefined
}

/** Beside the records, at a place that is no text: nobody reads, lists or removes it with them. */
function tokenRecord(namespace: string, token: number) {
  return { namespace: [namespace], key: 0, value: token }
}

function heldBy(record: StoredRecord | undefined): Parameters<typeof tryClaim>[1] {
  if (!record) return { value: undefined }
  return isReadable(record) ? record : 'unreadable'
}
