import { english } from '../../src/words.ts'
import type { Crowd } from './crowd.ts'

/** What must not be at the end of a play, in words. */
export function judge(crowd: Crowd, effects: ReadonlyMap<string, number>): string[] {
  return crowd.said.flatMap((said) => {
    const { key, kind, place, decision } = said
    const answers = crowd.answersTo(key)
    const failures = crowd.failuresOf(said)
    const ran = effects.get(key) ?? 0
    const isOk = answers.some((text) => text.includes(`ok ${key}`))
    const unmarked = answers.filter((text) => !text.includes(english.repeated)).length
    const found = [
      answers.length + failures.length === 0 && 'nobody was told anything',
      ran > 1 && `its effect came ${ran} times`,
      isOk && ran === 0 && 'it was said to be done, and was not',
      kind === 'ask' && decision === 'Deny' && ran > 0 && 'it was denied, and done',
      ran > 0 &&
        failures.length > 0 &&
        'it was said that it could not be finished, after its effect',
      unmarked > 1 && `it was answered ${unmarked} times without a mark`,
    ]
    return found.flatMap((what) => (what === false ? [] : [`${kind} ${key} (${place}): ${what}`]))
  })
}
