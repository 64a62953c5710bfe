import type { RequestState } from '@assent/engine'
import type { FileUIPart } from 'ai'
import type { UploadFile } from './attachments/attachment-types.ts'

/** Props of `AsComposer`. */
export interface AsComposerProps {
  /** Where the conversation stands; decides between send, queue and stop. Default `'idle'`. */
  requestState?: RequestState
  /** Default: words that fit the state. */
  placeholder?: string
  /** The most lines' worth of height before the text scrolls, in pixels. Default 240. */
  maxHeight?: number
  /** Nothing can be written or sent. A turn can still be stopped. Default `false`. */
  disabled?: boolean
  /** The most characters that are sent. What is longer can be written, and is told of. */
  maxLength?: number
  /** What sends: Enter, or Enter with Ctrl or ⌘, so that Enter breaks the line. Default `'enter'`. */
  sendKey?: 'enter' | 'mod+enter'
  /** Whether files can be attached. Default `false`. */
  attach?: boolean
  /** What files are taken, as `accept` of a file input: `'image/*,.pdf'`. Default: all. */
  accept?: string
  /** The most files of one message. Default 10. */
  maxFiles?: number
  /** The most bytes of one file. Default 10 MiB. */
  maxFileSize?: number
  /** Uploads a file. Default: its data goes with the message, as a data URL. */
  upload?: UploadFile
  /** The person's former messages, oldest first: arrow up in an empty field brings them back. */
  history?: () => readonly string[]
  /**
   * Under which name what is written is kept by the engine above, per conversation; an empty one
   * keeps nothing. Default `'composer'`.
   */
  draftKey?: string
}

/** Events of `AsComposer`. */
export interface AsComposerEmits {
  /** A message is to be sent; the field is empty by then. See `giveBack` for what is refused. */
  send: [text: string, files: FileUIPart[]]
  /** The turn is to be stopped. */
  stop: []
}

/** Slots of `AsComposer`. */
export interface AsComposerSlots {
  /** Above the field, and above the attached files. */
  header?: () => unknown
  /** At the start of the row of buttons. */
  actions?: () => unknown
  /** In place of the words between the buttons. */
  hint?: () => unknown
  /** Before the buttons that stop and send. */
  buttons?: () => unknown
}

/** What a ref to `AsComposer` offers. */
export interface ComposerHandle {
  /** Puts the cursor into the field. */
  focus(): void
  /** Attaches files, as if they were dropped; what may not be attached is told of. */
  addFiles(files: readonly File[]): Promise<void>
  /** Opens the picker; to be called while a person does something. */
  openPicker(): void
  /** Puts back what was not taken, unless something else was written meanwhile: whether it did. */
  giveBack(text: string, files?: readonly FileUIPart[]): boolean
}
