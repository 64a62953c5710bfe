/** What a record has of its own, not of every object, by an untrusted name. */
export function ownOf<VALUE>(
  record: Readonly<Record<string, VALUE>> | undefined,
  name: string,
): VALUE | undefined {
  return record && Object.hasOwn(record, name) ? record[name] : undefined
}
