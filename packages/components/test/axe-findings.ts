import axe from 'axe-core'

/** What is not ours: the page around the components. */
const RULES = {
  region: { enabled: false },
  'page-has-heading-one': { enabled: false },
  'landmark-one-main': { enabled: false },
}

/** What axe finds in the page, one line each; `rules` are those that it is not to look at either. */
export async function axeFindings(...rules: readonly string[]): Promise<string[]> {
  // Colours on their way are neither the one nor the other; out of view none would ever arrive.
  for (const animation of document.getAnimations()) {
    const { endTime } = animation.effect?.getComputedTiming() ?? {}
    if (animation.timeline === document.timeline && endTime !== Infinity) animation.finish()
  }
  const { violations } = await axe.run(document.body, {
    rules: { ...RULES, ...Object.fromEntries(rules.map((rule) => [rule, { enabled: false }])) },
  })
  return violations.flatMap(({ id, nodes }) =>
    nodes.map((node) => `${id}: ${node.html.slice(0, 160)} ${node.failureSummary ?? ''}`),
  )
}
