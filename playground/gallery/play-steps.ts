/** Clicks what these selectors find, one after the other, each as soon as it is there and enabled. */
export async function playSteps(
  root: HTMLElement,
  steps: readonly string[],
  signal: AbortSignal,
): Promise<void> {
  for (const selector of steps) {
    const target = await whenReady(root, selector, signal)
    target.click()
  }
}

function whenReady(root: HTMLElement, selector: string, signal: AbortSignal): Promise<HTMLElement> {
  const ready = () =>
    [...root.querySelectorAll<HTMLElement>(selector)].find(
      (element) => !element.matches(':disabled, [aria-disabled="true"]'),
    )
  return new Promise((resolve, reject) => {
    const observer = new MutationObserver(look)
    function look(): void {
      const target = ready()
      if (!target) return
      observer.disconnect()
      resolve(target)
    }
    signal.addEventListener('abort', () => {
      observer.disconnect()
      reject(signal.reason)
    })
    observer.observe(root, { attributes: true, childList: true, subtree: true })
    look()
  })
}
