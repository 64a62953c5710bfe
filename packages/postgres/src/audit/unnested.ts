/** A part of a statement, with the values that it adds. */
export interface SqlValues {
  readonly sql: string
  readonly values: readonly (readonly unknown[])[]
}

/** Rows that are given column by column, each column as one value. */
export function unnested(
  columns: readonly (readonly [name: string, type: string])[],
  before: number,
): string {
  const given = columns.map(([, type], index) => `$${before + index + 1}::${type}[]`)
  return `unnest(${given.join(', ')})`
}
