import type { JSONValue } from 'ai'
import { isRecord } from '../message/tool-part.ts'
import type { StorageListRange, StorageRange } from './storage.ts'

/** The keys of a range, in its order, without its limit. */
export function keysInRange(
  keys: Iterable<string>,
  { prefix = '', after, descending = false }: StorageRange = {},
): string[] {
  const sorted = [...keys].filter((key) => key.startsWith(prefix)).toSorted(compare)
  if (descending) sorted.reverse()
  if (after === undefined) return sorted
  return sorted.filter((key) => (descending ? compare(key, after) < 0 : compare(key, after) > 0))
}

/** The records of a range of a list, by namespace, in its order. */
export function listInRange(
  found: ReadonlyMap<string, JSONValue>,
  { prefix = '', by, after, limit = Infinity }: StorageListRange = {},
): Map<string, JSONValue> {
  const place = ([namespace, value]: readonly [string, JSONValue]): Place => {
    return { namespace, value: by === undefined ? undefined : numberIn(value, by) }
  }
  const entries = [...found]
    .filter(([namespace]) => namespace.startsWith(prefix))
    .toSorted((one, other) => comparePlaces(place(one), place(other)))
  const rest =
    after === undefined
      ? entries
      : entries.filter((entry) => comparePlaces(place(entry), { value: undefined, ...after }) > 0)
  return new Map(rest.slice(0, limit))
}

/**
 * The first text after all that begin with a prefix, in the order of code units; `undefined` when
 * there is none.
 */
export function endOfPrefix(prefix: string): string | undefined {
  const kept = prefix.replace(/\uFFFF+$/, '')
  if (kept === '') return undefined
  return kept.slice(0, -1) + String.fromCharCode(kept.charCodeAt(kept.length - 1) + 1)
}

interface Place {
  readonly namespace: string
  readonly value: number | undefined
}

function comparePlaces(one: Place, other: Place): number {
  if (one.value !== other.value)
    return (other.value ?? -Infinity) < (one.value ?? -Infinity) ? -1 : 1
  return compare(one.namespace, other.namespace)
}

function numberIn(value: JSONValue, field: string): number | undefined {
  const found = isRecord(value) && Object.hasOwn(value, field) ? value[field] : undefined
  return typeof found === 'number' ? found : undefined
}

function compare(one: string, other: string): number {
  if (one === other) return 0
  return one < other ? -1 : 1
}
