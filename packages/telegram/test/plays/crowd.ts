import { english } from '../../src/words.ts'
import type { FakeBotApi } from '../fake-bot-api.ts'
import type { Person, ShownMessage } from '../fake-chats.ts'
import type { Place, Said } from './plan.ts'

/** Chats of a play, by their numbers. */
export const CHATS = { ada: 11, ben: 12, group: -900, moved: -1_009_000_900, forum: -901 } as const
const TOPIC = 77
/** Milliseconds after which somebody presses again. */
const IMPATIENT_MS = 2_000

/** What somebody has said in a play. */
export interface SaidKey extends Said {
  readonly key: string
  readonly messageId: number
}

/** The people of a play, and what they see. */
export interface Crowd {
  readonly said: readonly SaidKey[]
  say(said: Said): void
  /** Everybody presses what there is to press. */
  press(): void
  /** From now on the group is another one; whether the bot is told. */
  move(isTold: boolean): void
  deleteTopic(): void
  answersTo(key: string): string[]
  /** Words that a message came to nothing. */
  failuresOf(said: SaidKey): ShownMessage[]
}

export function createCrowd(api: FakeBotApi): Crowd {
  const said: SaidKey[] = []
  const pressedAt = new Map<ShownMessage, number>()
  let groupId: number = CHATS.group
  const people: Readonly<Record<Place, () => Person>> = {
    ada: () => api.person(CHATS.ada),
    ben: () => api.person(CHATS.ben, { name: 'Ben' }),
    group: () => api.person(CHATS.ada, { groupId }),
    topic: () => api.person(CHATS.ada, { groupId: CHATS.forum, threadId: TOPIC }),
  }
  const shown = (): ShownMessage[] => Object.values(CHATS).flatMap((id) => [...api.shown(id)])

  return {
    said,
    say(one) {
      const key = `k${said.length}`
      const isShared = one.place === 'group' || one.place === 'topic'
      people[one.place]().says(`${isShared ? '@helper_bot ' : ''}${one.kind} ${key}`)
      said.push({ ...one, key, messageId: api.sent.at(-1)?.message?.message_id ?? 0 })
    },
    press() {
      for (const person of Object.values(people).map((make) => make())) {
        for (const message of api.shown(person.chatId)) {
          const labels = message.buttons.flat().map(({ text }) => text)
          const wasJust = Date.now() - (pressedAt.get(message) ?? 0) < IMPATIENT_MS
          if (!labels.includes(english.approve) || wasJust) continue
          pressedAt.set(message, Date.now())
          const [key] = /\bk\d+\b/.exec(message.text) ?? []
          const decision = said.find((one) => one.key === key)?.decision
          // One that is shown again in short does not say what it is about.
          if (decision === undefined) continue
          if (decision !== 'Deny') person.presses(message.id, english.approve)
          if (decision !== 'Approve') person.presses(message.id, english.deny)
        }
      }
    },
    move(isTold) {
      if (groupId === CHATS.moved) return
      api.migrate(CHATS.group, CHATS.moved, { isTold })
      groupId = CHATS.moved
    },
    deleteTopic: () => api.deleteTopic(CHATS.forum, TOPIC),
    answersTo: (key) =>
      shown()
        .map(({ text }) => text)
        // What a process that was killed has shown of an answer says that it is not all.
        .filter((text) => !text.endsWith(' …'))
        .filter((text) => new RegExp(`^(.*\\n){0,2}(said|ok|unknown|failed) ${key}\\b`).test(text)),
    failuresOf: ({ messageId }) =>
      shown().filter(
        ({ repliesTo, text }) => repliesTo === messageId && text.startsWith(english.failed('')),
      ),
  }
}
