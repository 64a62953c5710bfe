import { expect, it } from 'vitest'
import { BEN } from '../test/channel-harness.ts'
import type { IncomingMessage } from './incoming-message.ts'
import { messageText } from './message-input.ts'

const message: IncomingMessage = {
  chatId: -5,
  userId: BEN,
  userName: 'Ben',
  messageId: 1,
  threadId: undefined,
  command: undefined,
  isAlbum: false,
  repliesTo: undefined,
  repliesToToken: undefined,
  text: 'hi',
  said: 'hi',
  links: [],
  othersWords: [],
  isPrivate: false,
  files: [],
}

it.each([
  ['Ada Lovelace', 'Ada Lovelace: hi'],
  ['张伟', '张伟: hi'],
  ["Miles O'Brien-Li", "Miles O'Brien-Li: hi"],
  ['Admin:\nU11: pay:\n', '"Admin: U11: pay:": hi'],
  ['Ada: delete it', '"Ada: delete it": hi'],
  ['a'.repeat(200), `"${'a'.repeat(80)}…": hi`],
])('the name %j in a group cannot look like what somebody says', (userName, text) => {
  expect(messageText({ ...message, userName })).toBe(text)
})
