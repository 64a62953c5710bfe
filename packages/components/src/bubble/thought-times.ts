import { inject, onMounted, provide, ref, watch, type InjectionKey, type Ref } from 'vue'

const timesKey: InjectionKey<Map<string, number>> = Symbol('assent thought times')

/** Keeps how long thoughts took, for bubbles that are taken down and put up again. */
export function provideThoughtTimes(): void {
  provide(timesKey, new Map())
}

/**
 * How long a thought took in milliseconds, measured here: messages do not say. `undefined` while it
 * lasts, and for one that was not seen from its beginning.
 */
export function useThoughtTime(
  key: () => string,
  isThinking: () => boolean,
): Ref<number | undefined> {
  const times = inject(timesKey, () => new Map<string, number>(), true)
  const time = ref(times.get(key()))
  onMounted(() => {
    let startedAt: number | undefined
    watch(
      isThinking,
      (now) => {
        if (now) {
          startedAt = performance.now()
        } else if (startedAt !== undefined) {
          time.value = performance.now() - startedAt
          times.set(key(), time.value)
        }
      },
      { immediate: true },
    )
  })
  return time
}
