/** The words around what a message holds: notes, sources, thoughts, files, parts of other kinds. */
export interface ContentWords {
  footnotes: string
  footnote: (index: number) => string
  footnoteBack: (index: number) => string
  /** A number in the text that refers to a source. */
  citation: (index: number, name: string) => string
  formula: string
  diagram: string
  diagramSource: string
  diagramFailed: string

  /** How long the model thought: `1.2s`. */
  thoughtFor: (duration: string) => string
  saveFile: string
  /** A row that opens the summary which the model reads in the place of earlier messages. */
  summary: string
  /** A part that there is nothing to show with. */
  unknownPart: (type: string) => string
  /** A part whose own component failed. */
  brokenPart: (type: string) => string
  /** An error that came as a part of a message. */
  errorPart: string

  newMessages: (count: number) => string
  /** A button: so many messages stand before those that were read. */
  showEarlier: (count: number) => string
  /** So many of them were put above the others. */
  shownEarlier: (count: number) => string
  earlierFailed: string
}
