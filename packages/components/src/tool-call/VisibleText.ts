import { splitVisible } from '@assent/engine/reading'
import { h, type FunctionalComponent } from 'vue'
import { useLocale } from '../config/config.ts'
import type { AssentLocale } from '../locale/locale.ts'
import { splitBlanks, type BlankRun } from './blank-runs.ts'

/** Text from a model with its hidden characters, its hosts in disguise and its long runs of blanks shown as labels. */
const VisibleText: FunctionalComponent<{ text: string }> = ({ text }) =>
  splitVisible(text).flatMap((piece) => {
    if (typeof piece === 'string') {
      return splitBlanks(piece).map((run) =>
        typeof run === 'string' ? run : h('span', LABEL, blanksInWords(run, useLocale().value)),
      )
    }
    const isHost = 'ascii' in piece
    const label = isHost ? piece.ascii : piece.label
    const title = isHost ? useLocale().value.ask.suspectHost(piece.ascii) : piece.title
    return h('span', { ...LABEL, ...(isHost && { 'data-slot': 'suspect-host' }), title }, label)
  })

const LABEL = { class: 'as-hidden-character', 'data-slot': 'hidden-character' }

/** A run of blanks by its number. */
export function blanksInWords(run: BlankRun, { ask }: AssentLocale): string {
  return 'spaces' in run ? ask.spaces(run.spaces) : ask.blankLines(run.blankLines)
}

/** The same labels in a text that is heard and not seen. */
export function labelHidden(text: string): string {
  return splitVisible(text)
    .map((piece) => {
      if (typeof piece === 'string') return piece
      return ` ${'ascii' in piece ? piece.ascii : piece.label} `
    })
    .join('')
}

VisibleText.props = ['text']
VisibleText.displayName = 'VisibleText'

export default VisibleText
