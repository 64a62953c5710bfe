import { h, type FunctionalComponent } from 'vue'
import VisibleText from './VisibleText.ts'

/** Stand for the values while the words are made around them; no text of a locale has them. */
const FIRST_MARK = 0xe000
const MARKS = /([\uE000-\uE00F])/u

/**
 * A whole sentence of a locale with values in it: each is isolated, so that its own direction moves nothing of the
 * sentence, and shows its hidden characters.
 */
const WordsWithValues: FunctionalComponent<{
  words: (...values: string[]) => string
  values: readonly string[]
  /** How many of the values, from the first, stand out. */
  strong?: number
}> = ({ words, values, strong = 0 }) => {
  const marks = values.map((_, index) => String.fromCharCode(FIRST_MARK + index))
  return words(...marks)
    .split(MARKS)
    .map((piece) => {
      const index = marks.indexOf(piece)
      const value = values[index]
      if (value === undefined) return piece
      return h(index < strong ? 'b' : 'span', h('bdi', h(VisibleText, { text: value })))
    })
}
WordsWithValues.props = ['words', 'values', 'strong']
WordsWithValues.displayName = 'WordsWithValues'

export default WordsWithValues
