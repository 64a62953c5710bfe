/** A folder that the simulated shell sees, at its own path. */
export interface MountedFolder {
  readonly path: string
  readonly access: 'read' | 'write'
}

/** What a thread is to run over a copy of the folders. */
export interface OverlayOrder {
  readonly command: string
  /** Real paths; the command starts in the first one. */
  readonly folders: readonly [MountedFolder, ...MountedFolder[]]
  readonly maxFileBytes: number
  /** The app has a rule of its own about which paths are sensitive; the thread has to ask. */
  readonly hasOwnRule: boolean
  /** Milliseconds. */
  readonly timeoutMs: number
}

/** A file as it was on the disk. */
export interface FileState {
  /** SHA-256, base64. */
  readonly hash: string
  readonly size: number
  readonly mode: number
  /** None when it is no text, or too long to be shown. */
  readonly text?: string
}

/** One thing that a command would change on the disk. Paths are real ones. */
export type Change =
  | {
      readonly kind: 'write'
      readonly path: string
      /** None: the file is made. */
      readonly before?: FileState
      readonly after: FileState
      readonly bytes: Uint8Array
    }
  | { readonly kind: 'delete'; readonly path: string; readonly before: FileState }
  | {
      readonly kind: 'mode'
      readonly path: string
      readonly before: FileState
      readonly mode: number
    }
  | { readonly kind: 'delete-link'; readonly path: string; readonly target: string }
  | { readonly kind: 'make-folder' | 'remove-folder'; readonly path: string }

/** What came of a run over a copy. The disk is as it was. */
export interface OverlayOutcome {
  readonly ended: 'exited' | 'timeout' | 'aborted' | 'failed'
  readonly exitCode: number | null
  readonly output: string
  /** In the order in which they are to be made. */
  readonly changes: readonly Change[]
  /** What of the command was not done, or not seen, and why; for the model. */
  readonly notes: readonly string[]
}

/** Messages to a thread. */
export type ToThread =
  | { readonly type: 'run'; readonly order: OverlayOrder }
  | { readonly type: 'sensitive'; readonly path: string; readonly isSensitive: boolean }

/** Messages from a thread. */
export type FromThread =
  | { readonly type: 'ask'; readonly path: string }
  | { readonly type: 'done'; readonly outcome: OverlayOutcome }
