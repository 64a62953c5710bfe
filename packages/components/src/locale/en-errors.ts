import type { ErrorWords } from './error-words.ts'
import type { AssentLocale } from './locale.ts'

/** English. Loaded with what says it. */
export const enErrors: ErrorWords = {
  details: 'Details',
  isOffline: 'You’re offline',
  isOnline: 'You’re back online',
  offline: 'You’re offline. Try again once you’re connected.',
  network: 'Couldn’t reach the server. Check your connection.',
  server: 'Something went wrong on the server. Try again.',
  overloaded: 'The server is busy. Try again in a moment.',
  signIn: 'You’re signed out. Sign in and try again.',
  notAllowed: 'You’re not allowed to do this.',
  tooLarge: 'This conversation is too long for the server.',
  cut: 'The connection was lost in the middle of the reply. Try again.',
  slow: 'The server took too long. Try again.',
  unreadable: 'The server sent something unexpected.',
  model: 'The model couldn’t reply. Try again.',
  storage: 'This couldn’t be saved. Try again.',
  elsewhere: 'This conversation continues in another tab or on another device.',
  busy: 'Wait until the reply finishes.',
  changed: 'This call has changed. Review it again.',
  late: 'This call can no longer be decided.',
  batch: 'Some of these couldn’t be decided, so none was.',
  scope: 'A standing permission can’t cover that much.',
  unknownTool: 'This app doesn’t have this tool. Approve it where the task runs.',
  notEditable: 'This call can only run as it is.',
  interrupted: 'The reply was interrupted.',
  timeout: 'The tool took too long. It may have taken effect.',
  unconfirmed: 'Your decision was sent, but no answer came.',
  file: 'This file isn’t an Assent export, or it’s from a newer version.',
  other: 'Something went wrong. Try again.',
}

/** The words for what goes wrong. */
export function errorWords({ errors }: AssentLocale): ErrorWords {
  return { ...enErrors, ...errors }
}
