/**
 * Clicks what these selectors find, one after the other, each as soon as it is there and enabled. What
 * waits until its question was shown whole shows the rest of it at a click.
 */
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

async function whenReady(
  root: HTMLElement,
  selector: string,
  signal: AbortSignal,
): Promise<HTMLElement> {
  for (;;) {
    const found = [...root.querySelectorAll<HTMLElement>(selector)]
    const target = found.find((element) => !element.matches(':disabled, [aria-disabled="true"]'))
    if (target) return target
    for (const element of found) if (element.matches('[data-rest]')) element.click()
    await new Promise(requestAnimationFrame)
    signal.throwIfAborted()
  }
}
