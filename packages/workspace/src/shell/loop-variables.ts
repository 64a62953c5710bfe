import { forEachChild, type For, type SyntaxNode } from 'unbash'
import { wordsOf } from './simple-command.ts'
import { readWords, type KnownVariables } from './words.ts'

/** Values of a variable that are looked at. */
const MOST_VALUES = 60

/** The variables that are known in a loop: its own is one of the words that it goes through. */
export function variablesIn(
  { name, wordlist = [], body }: For,
  outer: KnownVariables,
): KnownVariables {
  const variables = new Map(outer)
  variables.delete(name.value)
  const values = wordlist.flatMap((word) => readWords(word, outer))
  const isKnown = values.every(
    ({ value, pattern, oneOf }) => value !== undefined || pattern !== undefined || oneOf,
  )
  if (isKnown && values.length > 0 && values.length <= MOST_VALUES) {
    variables.set(name.value, values)
  }
  for (const changed of assignedIn(body)) variables.delete(changed)
  return variables
}

/** The variables that a piece of a script may change. */
function assignedIn(node: SyntaxNode, names = new Set<string>()): ReadonlySet<string> {
  if (node.type === 'Assignment') names.add(node.name)
  if (node.type === 'For') names.add(node.name.value)
  // `read` and its like name their variables as words.
  if (node.type === 'Command') for (const { value } of wordsOf(node)) if (value) names.add(value)
  forEachChild(node, (child) => void assignedIn(child, names))
  return names
}
