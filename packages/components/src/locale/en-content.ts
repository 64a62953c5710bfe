import type { ContentWords } from './content-words.ts'

/** English. */
export const enContent: ContentWords = {
  footnotes: 'Footnotes',
  footnote: (index) => `Footnote ${index}`,
  footnoteBack: (index) => `Back to where footnote ${index} is mentioned`,
  citation: (index, name) => `Source ${index}: ${name}`,
  formula: 'Formula',
  diagram: 'Diagram',
  diagramSource: 'Show source',
  diagramFailed: 'Couldn’t draw the diagram',

  thoughtFor: (duration) => `Thought for ${duration}`,
  saveFile: 'Save',
  summary: 'Summary of earlier messages',
  unknownPart: (type) => `Unknown content: ${type}`,
  brokenPart: (type) => `Couldn’t show this: ${type}`,
  errorPart: 'Something went wrong',

  newMessages: (count) => `${count} new ${count === 1 ? 'message' : 'messages'}`,
  showEarlier: (count) =>
    `Show ${count.toLocaleString('en')} earlier ${count === 1 ? 'message' : 'messages'}`,
  shownEarlier: (count) =>
    `${count.toLocaleString('en')} earlier ${count === 1 ? 'message' : 'messages'} shown`,
  earlierFailed: 'Couldn’t load earlier messages',
}
