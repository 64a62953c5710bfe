/** Bundlers put its value in, as they do for Vue. */
declare const process: { readonly env: { readonly NODE_ENV?: string } }

/**
 * Whether mistakes of the app's code are worth a word. In a production build this is `false`, and what
 * hangs on it is left out of the bundle.
 */
export const isDevelopment: boolean = process.env.NODE_ENV !== 'production'

const told = new Set<string>()

/** Tells a developer of what looks like a mistake: once, on the console. */
export function warnOnce(text: string): void {
  if (told.has(text)) return
  told.add(text)
  console.warn(`[assent] ${text}`)
}
