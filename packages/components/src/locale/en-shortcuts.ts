import type { AssentLocale } from './locale.ts'
import type { ShortcutWords } from './shortcut-words.ts'

/** English. Loaded with the sheet. */
export const enShortcuts: ShortcutWords = {
  title: 'Keyboard shortcuts',
  close: 'Close',
  anywhere: 'Anywhere',
  inMessages: 'In the conversation',
  inCard: 'In an approval card',
  inComposer: 'In the message field',
  next: 'Go to the next call that needs you',
  sheet: 'Show this list',
  later: 'Next message',
  earlier: 'Previous message',
  approve: 'Approve',
  deny: 'Deny',
  always: 'Always allow…',
  back: 'Back, or undo',
  send: 'Send',
  newLine: 'New line',
  history: 'Your last message, when the field is empty',
  heldTo: (action) => `${action}. Hold it if it can’t be undone`,
}

/** The words of the sheet of shortcuts. */
export function shortcutWords({ shortcuts }: AssentLocale): ShortcutWords {
  return { ...enShortcuts, ...shortcuts }
}
