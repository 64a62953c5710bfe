/** What went wrong in a conversation, by what a person can do about it. */
export interface ErrorWords {
  details: string
  /** This device has no connection; it has one again. */
  isOffline: string
  isOnline: string
  /** What failed of that. */
  offline: string
  /** No answer came. */
  network: string
  /** The server failed. */
  server: string
  /** It takes no more for now. */
  overloaded: string
  signIn: string
  notAllowed: string
  tooLarge: string
  /** The connection ended in the middle of an answer. */
  cut: string
  /** Nothing came for too long. */
  slow: string
  /** The answer cannot be read. */
  unreadable: string
  /** The model's provider failed. */
  model: string
  storage: string
  /** Another tab, device or process goes on with the conversation. */
  elsewhere: string
  busy: string
  /** The call is not what was shown. */
  changed: string
  /** Nobody is asked about the call any more. */
  late: string
  /** One of several decisions was refused. */
  batch: string
  /** The scope of a standing permission is too wide. */
  scope: string
  /** A yes on a call whose tool another app has, such as a worker. */
  unknownTool: string
  /** The input of the call cannot be changed. */
  notEditable: string
  interrupted: string
  /** A tool. */
  timeout: string
  unconfirmed: string
  file: string
  other: string
}
