const KEY = 'assent-user'

/** What this browser is called in the audit; the playground knows nobody by another name. */
export function userName(): string {
  try {
    const known = localStorage.getItem(KEY)
    if (known) return known
    const made = `guest-${crypto.randomUUID().slice(0, 4)}`
    localStorage.setItem(KEY, made)
    return made
  } catch {
    return 'guest'
  }
}
