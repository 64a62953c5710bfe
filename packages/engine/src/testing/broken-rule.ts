/** A rule that did not hold, the facts that show it, and the story of how it came to that. */
export class BrokenRule<RULE extends string = string> extends Error {
  override readonly name = 'BrokenRule'
  readonly rule: RULE

  constructor(rule: RULE, facts: unknown, story: readonly string[]) {
    const said = typeof facts === 'string' ? facts : JSON.stringify(facts)
    super([`${rule}: ${said}`, ...(story.length > 0 ? ['The story:', ...story] : [])].join('\n'))
    this.rule = rule
  }
}
