import { canonicalJson } from '@assent/engine'

/**
 * A value in one spelling of JSON, as the page gets it and sends it back: what JSON cannot express is
 * what `JSON.stringify` makes of it.
 */
export function sentJson(value: unknown): string {
  return canonicalJson(JSON.parse(JSON.stringify(value) ?? 'null'))
}
