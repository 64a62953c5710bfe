import type { JSONValue } from 'ai'
import { isEngineError } from '../../errors.ts'
import { isEqualJson } from '../../message/json-equality.ts'
import type { ConversationStorage } from '../../storage/storage.ts'

/** Records as a test writes them down. */
export type Records = readonly (readonly [key: string, value: JSONValue])[]

export async function checkRecords(
  storage: ConversationStorage,
  namespace: string,
  expected: Records,
): Promise<void> {
  checkMap(`read(${show(namespace)})`, await storage.read(namespace), expected)
}

export async function checkList(
  storage: ConversationStorage,
  key: string,
  expected: Records,
): Promise<void> {
  checkMap(`list(${show(key)})`, await storage.list(key), expected)
}

/** Throws unless a map holds exactly these entries, in any order. */
export function checkMap(
  what: string,
  actual: ReadonlyMap<string, JSONValue>,
  expected: Records,
): void {
  for (const [key, value] of expected) {
    if (!actual.has(key)) fail(`${what} lacks ${show(key)}`)
    if (!isEqualJson(actual.get(key), value)) {
      fail(`${what} has ${show(actual.get(key))} as ${show(key)}, not ${show(value)}`)
    }
  }
  const wanted = new Set(expected.map(([key]) => key))
  const surplus = [...actual.keys()].find((key) => !wanted.has(key))
  if (surplus !== undefined) fail(`${what} has ${show(surplus)}, which it should not`)
}

/** Throws unless a promise rejects. */
export async function checkRejects(what: string, promise: Promise<unknown>): Promise<void> {
  const rejected = await promise.then(
    () => false,
    () => true,
  )
  if (!rejected) fail(`${what} resolved; it should reject`)
}

/** Throws unless a promise rejects with `fenced`. */
export async function checkFenced(what: string, promise: Promise<unknown>): Promise<void> {
  const error = await promise.then(
    () => fail(`${what} resolved; it should reject`),
    (thrown: unknown) => thrown,
  )
  if (isEngineError(error) && error.code === 'fenced') return
  fail(`${what} rejected with ${String(error)}; it should be an EngineError (fenced)`)
}

/** Throws unless both are the same, in the same order. */
export function checkOrder(
  what: string,
  actual: readonly string[],
  expected: readonly string[],
): void {
  const index = expected.findIndex((name, at) => name !== actual[at])
  if (index === -1 && actual.length === expected.length) return
  const at = index === -1 ? expected.length : index
  fail(`${what} has ${show(actual[at])} at ${at}, not ${show(expected[at])}`)
}

export function fail(message: string): never {
  throw new Error(`The storage does not keep the contract: ${message}.`)
}

function show(value: unknown): string {
  const text = JSON.stringify(value) ?? String(value)
  return text.length > 200 ? `${text.slice(0, 200)}… (${text.length} characters)` : text
}
