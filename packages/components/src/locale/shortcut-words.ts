/** The words of the sheet of shortcuts, which `?` shows. */
export interface ShortcutWords {
  title: string
  close: string
  /** The groups that the keys are in: by where they act. */
  anywhere: string
  inMessages: string
  inCard: string
  inComposer: string
  /** The keys, by what each does. */
  next: string
  sheet: string
  later: string
  earlier: string
  approve: string
  deny: string
  always: string
  back: string
  send: string
  newLine: string
  history: string
  /** A key that is held for what cannot be undone. */
  heldTo: (action: string) => string
}
