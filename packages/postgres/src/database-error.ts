import { DatabaseError, type DatabaseErrorCode } from '@assent/engine/storage'

export { DatabaseError } from '@assent/engine/storage'

/** The code that PostgreSQL, or the network, gives an error. */
export function codeOf(error: unknown): string | undefined {
  return error instanceof Error && 'code' in error && typeof error.code === 'string'
    ? error.code
    : undefined
}

/** Two transactions stood in each other's way, and this one was undone as a whole. */
export function isUndone(error: unknown): boolean {
  const code = codeOf(error)
  return code === '40P01' || code === '40001'
}

/** The time for an answer was over: nothing more is to be asked on that connection. `pg` gives it no code. */
export function isUnanswered(error: unknown): boolean {
  return error instanceof Error && error.message === 'Query read timeout'
}

/**
 * What is wrong with the database itself, in words; any other error as it is. By the class of its code, so that
 * one that nobody has thought of is known as well: what is about a query or its values (22, 23, 42) stays.
 */
export function toDatabaseError(error: unknown, name: string): unknown {
  const fail = (code: DatabaseErrorCode, message: string) =>
    new DatabaseError(code, message, { cause: error })
  const code = codeOf(error)
  if (code === '53100') return fail('database_unwritable', `The disk of ${name} is full.`)
  if (code === '25006') {
    return fail('database_unwritable', `${name} may not be written; give the URL of the primary.`)
  }
  if (code === '54000') {
    return fail('invalid_argument', 'A name is too long to be found again: 2,600 bytes are enough.')
  }
  if (code === '55P03') {
    return fail('database_busy', `Somebody holds for long what ${name} is to change; try again.`)
  }
  if (code === '53300' || code === '57014' || isUndone(error)) {
    return fail('database_busy', `${name} is too busy; try again.`)
  }
  if (code?.startsWith('3D')) {
    return fail('database_unreadable', `${name} does not exist; make it with "create database".`)
  }
  if (/^(?:28|3F|42501)/.test(code ?? '')) {
    return fail(
      'database_unreadable',
      `${name} lets nobody in by this URL; see its user, its password and its rights.`,
    )
  }
  // Before what is in the way for a while: what it says of all its connections. 55000: it takes none for now.
  if (code === '55000' || isUnreachable(error, code)) {
    return fail('database_unreachable', `${name} does not answer; see that it runs, and try again.`)
  }
  if (code === 'XX001' || code === 'XX002') {
    return fail(
      'database_unreadable',
      `${name} is damaged (${code}); see its log, and its backups.`,
    )
  }
  if (/^(?:40|53|55)/.test(code ?? '')) {
    return fail('database_busy', `${name} is too busy (${code}); try again.`)
  }
  if (/^(?:57|58|F0|XX)/.test(code ?? '')) {
    const text = `${name} failed (${code}); see its log, and try again.`
    return fail('database_unreachable', text)
  }
  return error
}

/** Connections that fail, end or get no answer; `pg` gives some of these no code. */
function isUnreachable(error: unknown, code: string | undefined): boolean {
  if (/^(?:08|25P03|57P|E[A-Z]{3,}$)/.test(code ?? '')) return true
  if (error instanceof AggregateError)
    return error.errors.some((one) => isUnreachable(one, codeOf(one)))
  return error instanceof Error && /connection|timeout|not queryable/i.test(error.message) && !code
}
