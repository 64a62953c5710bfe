import axe from 'axe-core'
import type { Page } from 'playwright'

/** What axe finds wrong with a page as it is, as sentences. */
export async function violationsOf(page: Page): Promise<string[]> {
  await page.addScriptTag({ content: axe.source })
  return page.evaluate(async () => {
    // @axe-core is put into the page above.
    const results = await (window as never as { axe: typeof axe }).axe.run(document)
    return results.violations.flatMap(({ id, help, nodes }) =>
      nodes.map((node) => `${id}: ${help} at ${node.target.join(' ')}`),
    )
  })
}
