import { h, type FunctionalComponent } from 'vue'
import { splitHidden } from './visible-text.ts'

/** Text from a model with its hidden characters shown as labels. */
const VisibleText: FunctionalComponent<{ text: string }> = ({ text }) =>
  splitHidden(text).map((piece) =>
    typeof piece === 'string'
      ? piece
      : h(
          'span',
          { class: 'as-hidden-character', 'data-slot': 'hidden-character', title: piece.title },
          piece.label,
        ),
  )
VisibleText.props = ['text']
VisibleText.displayName = 'VisibleText'

export default VisibleText
