import { h, type FunctionalComponent } from 'vue'
import type { CodePiece } from './markdown-plugin.ts'

/** Code, in its colours where they are known. */
const CodePieces: FunctionalComponent<{
  code: string
  lines: readonly (readonly CodePiece[])[] | undefined
}> = ({ code, lines }) => {
  if (!lines) return h('code', code)
  const pieces = lines.flatMap((line, index) => [
    ...(index > 0 ? ['\n'] : []),
    ...line.map(({ text, style }) => (style ? h('span', { style: colours(style) }, text) : text)),
  ])
  return h('code', pieces)
}
CodePieces.props = ['code', 'lines']
CodePieces.displayName = 'CodePieces'

/** Custom properties only: colours cannot move or load anything. */
function colours(style: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(Object.entries(style).filter(([name]) => name.startsWith('--')))
}

export default CodePieces
