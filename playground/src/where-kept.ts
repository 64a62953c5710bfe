const KEY = 'assent-kept'

/** Where the conversations of this browser are kept. */
export type WhereKept = 'server' | 'browser'

export function whereKept(): WhereKept {
  try {
    return localStorage.getItem(KEY) === 'browser' ? 'browser' : 'server'
  } catch {
    return 'server'
  }
}

/** To be followed by a reload. */
export function keepIn(where: WhereKept): void {
  try {
    localStorage.setItem(KEY, where)
  } catch {
    // It stays as it is.
  }
}
