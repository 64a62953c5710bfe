/** A plain value, as a cell or a field shows it. */
export type PreviewValue = string | number | boolean | null

/** What a call would do to one file. */
export type PreviewedFile = {
  path?: string
  /** What it holds now; none when the call makes it. */
  before?: string
  /** What it would hold; none when the call deletes it. */
  after?: string
}

/**
 * What a call would do, in a form that a person can check at a glance. JSON: it is stored with its
 * call and shown by whoever shows the call.
 *
 * - `diff` changes of text files, line by line
 * - `patch` the same as a unified diff, where only that is there
 * - `command` a command line, with where it would run, what a yes permits it in a sentence, and what it would change
 *   where that is known
 * - `request` an HTTP request
 * - `table` rows that would be added, changed or deleted
 * - `email` a message to people
 * - `text` anything else that is read as it is
 */
export type ToolPreview =
  | { kind: 'diff'; files: PreviewedFile[] }
  | { kind: 'patch'; patch: string }
  | {
      kind: 'command'
      command: string
      cwd?: string
      rights?: string
      env?: Record<string, string>
      files?: PreviewedFile[]
    }
  | {
      kind: 'request'
      method: string
      url: string
      headers?: Record<string, string>
      body?: string
    }
  | {
      kind: 'table'
      columns: string[]
      rows: PreviewValue[][]
      caption?: string
      /** How many rows there are in all, when these are only the first. */
      total?: number
    }
  | {
      kind: 'email'
      to: string[]
      cc?: string[]
      bcc?: string[]
      from?: string
      subject?: string
      body: string
      attachments?: string[]
    }
  | { kind: 'text'; text: string }
