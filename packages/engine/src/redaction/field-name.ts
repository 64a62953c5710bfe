import type { RedactPlace } from '../redact.ts'

/**
 * What a field is called: `value` by the name beside it, as in `{ name: 'API_KEY', value: '…' }`, else by what holds it; all of
 * the data of a `Secret` of Kubernetes by that.
 */
export function fieldName(key: string, within: RedactPlace | undefined): string {
  let inner: string | undefined = key
  for (let place = within; place; place = place.within) {
    const isData = inner === 'data' || inner === 'stringData'
    if (isData && place.fields['kind'] === 'Secret') return 'secret'
    inner = place.key
  }
  const named = within?.fields['key'] ?? within?.fields['name'] ?? within?.key
  return key === 'value' && typeof named === 'string' ? named : key
}
