import { useDocumentVisibility } from '@vueuse/core'
import { onScopeDispose, watch } from 'vue'
import { officeAddress } from './office-api.ts'

/**
 * Calls back soon after anything was written on the server, and when the connection to it comes or
 * breaks; only while the page is looked at, and once when it is looked at again.
 */
export function useChanges(onChange: () => void): void {
  const visibility = useDocumentVisibility()
  let source: EventSource | undefined

  function close(): void {
    source?.close()
    source = undefined
  }

  watch(
    visibility,
    (state) => {
      close()
      if (state !== 'visible') return
      source = new EventSource(officeAddress('changes'))
      // The first one comes at once, and again after the connection broke.
      source.addEventListener('change', onChange)
      source.addEventListener('error', onChange)
    },
    { immediate: true },
  )
  onScopeDispose(close)
}
