import type { PreviewWords } from './ask-words.ts'
import type { AssentLocale } from './locale.ts'

const lines = (count: number): string => `${count} ${count === 1 ? 'line' : 'lines'}`

/** English. Loaded with the previews. */
export const enPreview: PreviewWords = {
  diffOf: (path, added, removed) => `Changes in ${path}: ${lines(added)} added, ${removed} removed`,
  file: 'the file',
  newFile: 'new file',
  deletedFile: 'deleted',
  noChange: 'Nothing changes',
  emptyFile: 'It is empty',
  addedLine: 'Added:',
  removedLine: 'Removed:',
  showUnchanged: (count) => `Show ${count} unchanged ${count === 1 ? 'line' : 'lines'}`,
  noLineEnd: 'No line break at the end of the file',
  command: 'Command',
  folder: 'in',
  environment: 'Environment',
  request: 'Request',
  headers: 'Headers',
  body: 'Body',
  table: 'Rows',
  rows: (shown, total) => `${shown} of ${total} rows`,
  email: 'E-mail',
  from: 'From',
  to: 'To',
  cc: 'Cc',
  bcc: 'Bcc',
  subject: 'Subject',
  attachments: 'Attachments',
}

/** The words of the preview of a call. */
export function previewWords({ ask }: AssentLocale): PreviewWords {
  return { ...enPreview, ...ask.preview }
}
