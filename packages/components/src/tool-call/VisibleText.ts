import { splitVisible } from '@assent/engine/reading'
import { h, type FunctionalComponent } from 'vue'
import { useLocale } from '../config/config.ts'

/** Text from a model with its hidden characters and its hosts in disguise shown as labels. */
const VisibleText: FunctionalComponent<{ text: string }> = ({ text }) =>
  splitVisible(text).map((piece) => {
    if (typeof piece === 'string') return piece
    const isHost = 'ascii' in piece
    const label = isHost ? piece.ascii : piece.label
    const title = isHost ? useLocale().value.ask.suspectHost(piece.ascii) : piece.title
    return h(
      'span',
      {
        class: 'as-hidden-character',
        'data-slot': isHost ? 'suspect-host' : 'hidden-character',
        title,
      },
      label,
    )
  })
VisibleText.props = ['text']
VisibleText.displayName = 'VisibleText'

export default VisibleText
