import { useBroadcastChannel } from '@vueuse/core'
import { watch } from 'vue'
import { userName } from './user-name.ts'

/**
 * Makes a stop of one tab one of all tabs of this browser: each stops what it has open.
 *
 * @param stopHere ends what runs in this tab
 */
export function useStopAllTabs(stopHere: () => Promise<void>): () => Promise<void> {
  const name = `assent-playground-stop ${userName()}`
  const { data: stopId, post } = useBroadcastChannel<string, string>({ name })
  watch(stopId, () => void stopHere())
  return () => {
    post(crypto.randomUUID())
    return stopHere()
  }
}
