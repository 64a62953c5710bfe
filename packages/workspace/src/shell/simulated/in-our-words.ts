/** What the library tells its own users, for the model: it cannot set options, and this is no browser. */
const WORDS: readonly (readonly [theirs: RegExp, ours: string])[] = [
  [/command not available in browser environments\.[^\n]*/g, 'command not found in this shell'],
  [/,? increase executionLimits\.\w+/g, ': this shell does no more in one command'],
  [/iteration limit exceeded \((\d+)\)/g, 'this shell does no more than $1 steps in one command'],
]

/** An error of the simulated shell, in words that say what it is for whoever wrote the command. */
export function inOurWords(said: string): string {
  return WORDS.reduce((text, [theirs, ours]) => text.replace(theirs, ours), said)
}
