/** A statement whose values are `?`, as PostgreSQL has them. */
export function numbered(sql: string): string {
  let count = 0
  return sql.replaceAll('?', () => `$${++count}`)
}
