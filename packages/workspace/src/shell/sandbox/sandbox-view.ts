/** A folder that is in the view at its own path. */
export interface ViewedFolder {
  /** Its real path. */
  readonly path: string
  readonly access: 'read' | 'write'
}

/** A place in the view that shows something else. */
export interface Replaced {
  readonly path: string
  /** What is there instead: a path, or the words that it is hidden. */
  readonly by: { readonly path: string } | 'hidden-file' | 'hidden-folder' | 'nothing'
}

/** What a command sees and may do: nothing else of the machine is there. */
export interface SandboxView {
  /** The folders of the workspace; commands start in the first. */
  readonly roots: readonly [ViewedFolder, ...ViewedFolder[]]
  /** Programs and what belongs to them, and other places that may be read. */
  readonly readable: readonly { readonly from: string; readonly to: string }[]
  /** Folders that stay where they are while what they hold may change. */
  readonly pinned: readonly string[]
  readonly replaced: readonly Replaced[]
  readonly hasNetwork: boolean
  /** The socket of an agent that may be asked; without it no Unix socket can be made. */
  readonly agentSocket?: string | undefined
  readonly limits: SandboxLimits
}

/** How much a command may use. */
export interface SandboxLimits {
  readonly processes: number
  /** Time of the processor that one process may use. */
  readonly cpuSeconds: number
  /** Of one process. */
  readonly dataBytes: number
  readonly fileBytes: number
  /** Of each of the folders for temporary files, which are held in memory. */
  readonly temporaryBytes: number
  readonly homeBytes: number
}

/** For what nobody was asked about. */
export const SMALL_LIMITS: SandboxLimits = {
  processes: 256,
  cpuSeconds: 120,
  dataBytes: 2 ** 30,
  fileBytes: 100_000_000,
  temporaryBytes: 64_000_000,
  homeBytes: 1_000_000,
}

/** For what a person has approved: builds, installations. */
export const LARGE_LIMITS: SandboxLimits = {
  processes: 1_024,
  cpuSeconds: 3_600,
  dataBytes: 4 * 2 ** 30,
  fileBytes: 4 * 2 ** 30,
  temporaryBytes: 512_000_000,
  homeBytes: 512_000_000,
}
