import type { FileUIPart } from 'ai'

/** What an {@link UploadFile} is given beside the file. */
export interface UploadOptions {
  /** Aborted when the file is removed, or the composer goes. */
  signal: AbortSignal
  /** Says how much is done, from 0 to 1. */
  onProgress: (done: number) => void
}

/** Uploads a file and answers with the part of the message that stands for it. */
export type UploadFile = (file: File, options: UploadOptions) => Promise<FileUIPart>

/** What may be attached. */
export interface AttachmentLimits {
  /** As `accept` of a file input. */
  accept?: string | undefined
  maxFiles: number
  /** In bytes. */
  maxFileSize: number
}

/** A file beside the field. */
export interface Attachment {
  readonly id: number
  readonly name: string
  /** There is a file as long as it was chosen here. */
  readonly file?: File
  /** Shows an image. */
  readonly preview?: string
  readonly state: 'working' | 'ready' | 'failed'
  /** From 0 to 1, while it is uploaded and that is known. */
  readonly progress?: number
  /** What goes with the message, once it is ready. */
  readonly part?: FileUIPart
}
