import { errorCode } from '@assent/engine/error-code'

/** Why a workspace refuses something. */
export type RefusalCode =
  /** The path leads out of every folder that may be used. */
  | 'outside'
  /** A link leads to what the path does not say. */
  | 'link'
  /** The folder may be read only. */
  | 'read_only'
  /** There is nothing at the path. */
  | 'not_found'
  /** It is there, but not of the kind that is needed: a folder, a device, no text. */
  | 'wrong_kind'
  /** The path, the pattern or the command cannot be used as it is. */
  | 'invalid'
  /** It is larger than what is read. */
  | 'too_large'
  /** The system does not permit this user to read or to change it. */
  | 'no_permission'
  /** There is no room left where it would be written. */
  | 'disk_full'
  /** It is not as it was when it was read or asked about. */
  | 'changed'
  /** Another process is writing there. */
  | 'busy'
  /** A rule forbids the command. */
  | 'forbidden'

/** What was refused; for a log or an audit. */
export interface Refusal {
  readonly code: RefusalCode
  readonly toolName: string
  readonly toolCallId: string
  /** In words for the model. */
  readonly message: string
  /** The path or the command as it was given. */
  readonly subject: string
}

/** Something that a tool of the workspace does not do. Its message is what the model reads. */
export class WorkspaceRefusal extends Error {
  override readonly name = 'WorkspaceRefusal'
  readonly code: RefusalCode
  /** The path or the command as it was given. */
  readonly subject: string

  constructor(code: RefusalCode, subject: string, message: string, options?: ErrorOptions) {
    super(`Refused: ${message}`, options)
    this.code = code
    this.subject = subject
  }
}

/** What is wrong, when the file system says no: in words, with the path as it was given. */
export function toRefusal(error: unknown, subject: string): unknown {
  switch (errorCode(error)) {
    case 'ENOENT':
      return new WorkspaceRefusal('not_found', subject, `${subject} does not exist.`, {
        cause: error,
      })
    case 'ENOTDIR':
      return new WorkspaceRefusal('wrong_kind', subject, `a part of ${subject} is no folder.`, {
        cause: error,
      })
    case 'EISDIR':
      return new WorkspaceRefusal('wrong_kind', subject, `${subject} is a folder.`, {
        cause: error,
      })
    case 'ELOOP':
      return new WorkspaceRefusal('link', subject, `${subject} is a link that leads nowhere.`, {
        cause: error,
      })
    case 'EACCES':
    case 'EPERM':
      return new WorkspaceRefusal(
        'no_permission',
        subject,
        `the system does not permit it: ${subject}.`,
        { cause: error },
      )
    case 'EROFS':
      return new WorkspaceRefusal(
        'read_only',
        subject,
        `${subject} is on a disk that may only be read.`,
        {
          cause: error,
        },
      )
    case 'ENOSPC':
    case 'EDQUOT':
      return new WorkspaceRefusal(
        'disk_full',
        subject,
        `${subject} was not written: the disk is full. Make room, and try again.`,
        { cause: error },
      )
    case 'ENAMETOOLONG':
      return new WorkspaceRefusal('invalid', subject, 'the path is too long.', { cause: error })
    default:
      return error
  }
}
