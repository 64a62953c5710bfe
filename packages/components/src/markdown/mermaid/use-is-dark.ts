import { onMounted, onScopeDispose, ref, type Ref, type ShallowRef } from 'vue'

/** What makes a part of a page dark or light: the names that themes go by, on the element or around it. */
const NAMES = ['class', 'data-theme', 'style']

/** Whether an element is in a dark place, once it is there, and whenever that changes. */
export function useIsDark(element: Readonly<ShallowRef<Element | null>>): Readonly<Ref<boolean>> {
  const isDark = ref(false)
  const over = new AbortController()

  onMounted(() => {
    const { value: place } = element
    if (!place) return
    const look = () => {
      isDark.value = getComputedStyle(place).colorScheme.includes('dark')
    }
    const observer = new MutationObserver(look)
    // Not the whole page: it changes with every token of an answer.
    for (const one of ancestorsOf(place)) observer.observe(one, { attributeFilter: NAMES })
    const { signal } = over
    matchMedia('(prefers-color-scheme: dark)').addEventListener('change', look, { signal })
    signal.addEventListener('abort', () => observer.disconnect())
    look()
  })
  onScopeDispose(() => over.abort())
  return isDark
}

/** The element and all that it is in, out of shadow trees as well. */
function* ancestorsOf(element: Element): Generator<Element> {
  for (let one: Element | undefined = element; one; one = parentOf(one)) yield one
}

function parentOf(element: Element): Element | undefined {
  const { parentNode } = element
  if (parentNode instanceof ShadowRoot) return parentNode.host
  return parentNode instanceof Element ? parentNode : undefined
}
