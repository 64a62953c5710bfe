import { computed, onBeforeUnmount, onMounted, ref, watch, type ComputedRef } from 'vue'

const TICK_MS = 1_000

/** One timer for all that show how time passes; it stands still while nobody looks. */
const now = ref(0)
let readers = 0
let timer: ReturnType<typeof setInterval> | undefined

function tick(): void {
  now.value = Date.now()
}

function follow(): void {
  readers += 1
  tick()
  timer ??= setInterval(tick, TICK_MS)
}

function leave(): void {
  readers -= 1
  if (readers > 0) return
  clearInterval(timer)
  timer = undefined
}

/**
 * The time, in milliseconds since the epoch, anew every second while `isOn`; `undefined` at other times
 * and before the component is mounted, so that a server and the page it made agree.
 */
export function useClock(isOn: () => boolean): ComputedRef<number | undefined> {
  const isFollowing = ref(false)

  function set(on: boolean): void {
    if (isFollowing.value === on) return
    isFollowing.value = on
    if (on) follow()
    else leave()
  }

  onMounted(() => watch(isOn, set, { immediate: true }))
  onBeforeUnmount(() => set(false))
  return computed(() => (isFollowing.value ? now.value : undefined))
}
