/** Fields without those that are `undefined`. */
export type Given<FIELDS> = { [NAME in keyof FIELDS]?: Exclude<FIELDS[NAME], undefined> }

/** The fields that are there: a copy without those that are `undefined`. */
export function given<FIELDS extends object>(fields: FIELDS): Given<FIELDS> {
  const entries = Object.entries(fields).filter(([, value]) => value !== undefined)
  // The names and values are those of the fields.
  return Object.fromEntries(entries) as Given<FIELDS>
}
