import type { CallbackQuery } from 'grammy/types'
import {
  asksTwice,
  keyboardOf,
  mayBeAlways,
  readButton,
  type AskAction,
  type AskPage,
} from './ask-buttons.ts'
import type { ChannelGround, Effect } from './channel-ground.ts'
import type { FailedAgain } from './failed-again.ts'
import { readFailureButton } from './failure-buttons.ts'
import type { Decisions } from './decisions.ts'
import { visible } from './evidence.ts'
import type { KeptAsk } from './kept-asks.ts'
import type { Outcome } from './press-outcome.ts'
import { revokingByButtons } from './revoking.ts'
import { editKeyboard } from './sending.ts'
import { TelegramError } from './telegram-error.ts'
import type { KeptDecision } from './telegram-records.ts'
import { backoffMs } from './waiting.ts'

/** Decides by what people press. */
export type Press = (query: CallbackQuery) => Promise<Effect[]>

/** Telegram shows no more of an answer to a button. */
const MAX_ANSWER_LENGTH = 200
/** Tries of a press that cannot be checked: for about three minutes. */
const MAX_ATTEMPTS = 10

/** @param signal the channel stops */
export function pressing(
  ground: ChannelGround,
  decisions: Decisions,
  failed: FailedAgain,
  signal: AbortSignal,
): Press {
  const { asks, client, clock, words, isAllowed, report } = ground
  const revoking = revokingByButtons(ground, decisions)

  function answer(queryId: string, { say, isAlert = false }: Outcome): Effect {
    return async () => {
      try {
        await client.make((api) =>
          api.answerCallbackQuery(queryId, {
            text: say.slice(0, MAX_ANSWER_LENGTH).toWellFormed(),
            show_alert: isAlert,
          }),
        )
      } catch (error) {
        // The person waits no longer for it.
        if (!(error instanceof TelegramError && error.code === 'refused')) throw error
      }
    }
  }

  function turnTo(ask: KeptAsk, page: AskPage, messageId: number): Outcome {
    const keyboard = keyboardOf(ask, page, words)
    return {
      say: '',
      after: () =>
        client.inChat(ask.chatId, (make) => editKeyboard(make, ask.chatId, messageId, keyboard)),
    }
  }

  async function decide(ask: KeptAsk, decision: Omit<KeptDecision, 'at'>): Promise<Outcome> {
    const { decision: held, isFirst } = await decisions.take(ask, decision)
    const after = (): Promise<void> => decisions.settle(ask.token)
    if (isFirst) return { say: words.noted, after }
    return held.outcome === decision.outcome && held.covers === decision.covers
      ? { say: words.sameDecision, after }
      : { say: words.alreadyDecided(visible(held.userName)), isAlert: true, after }
  }

  async function act(
    ask: KeptAsk,
    action: AskAction,
    who: { readonly userId: number; readonly userName: string },
    messageId: number,
  ): Promise<Outcome> {
    const refused = (say: string): Outcome => ({ say, isAlert: true })
    switch (action) {
      case 'yes':
        if (ask.call.kind === 'output') return refused(words.notOffered)
        if (!asksTwice(ask) || ask.decision) return decide(ask, { outcome: 'yes', ...who })
        await asks.setConfirming(ask.token, who.userId)
        return turnTo(ask, 'confirm', messageId)
      case 'sure':
        return ask.decision || ask.confirmingBy === who.userId
          ? decide(ask, { outcome: 'yes', ...who })
          : refused(words.confirmFirst)
      case 'no': {
        const isOutput = ask.call.kind === 'output'
        return decide(ask, {
          outcome: 'no',
          ...who,
          ...(isOutput && { words: words.noAnswerReason }),
        })
      }
      case 'always':
        return mayBeAlways(ask) ? turnTo(ask, 'always', messageId) : refused(words.notOffered)
      case 'always-input':
      case 'always-tool': {
        if (!mayBeAlways(ask)) return refused(words.notOffered)
        const covers = action === 'always-tool' ? 'tool' : 'input'
        return decide(ask, { outcome: 'yes_always', covers, ...who })
      }
      case 'revoke':
      case 'take-back':
        return refused(words.unknownButton)
      case 'back':
        await asks.setConfirming(ask.token, undefined)
        return turnTo(ask, 'question', messageId)
    }
  }

  async function judge(
    found: KeptAsk,
    action: AskAction,
    query: CallbackQuery,
    messageId: number,
  ): Promise<Outcome> {
    const ask = await decisions.expire(found)
    const settle = (): Promise<void> => decisions.settle(ask.token)
    if (ask.decision && ask.decision.userId === undefined) {
      return { say: words.expired(words.time(ask.decision.at)), isAlert: true, after: settle }
    }
    if (ask.isOver && !ask.decision) {
      return {
        say: words.lapsed,
        isAlert: true,
        after: () => decisions.showEnding(ask, messageId),
      }
    }
    const isTurning = action === 'always' || action === 'back'
    if (ask.decision && isTurning) {
      return {
        say: words.alreadyDecided(visible(ask.decision.userName)),
        isAlert: true,
        after: settle,
      }
    }
    const { id: userId, first_name: first, last_name: last = '' } = query.from
    return act(ask, action, { userId, userName: `${first} ${last}`.trim() }, messageId)
  }

  function effectsOf(query: CallbackQuery, outcome: Outcome): Effect[] {
    return [answer(query.id, outcome), ...(outcome.after ? [outcome.after] : [])]
  }

  async function press(query: CallbackQuery): Promise<Effect[]> {
    const { message } = query
    const ofFailure = readFailureButton(query.data)
    if (ofFailure) return effectsOf(query, await failed(query, ofFailure))
    const button = readButton(query.data)
    if (button?.action === 'take-back') {
      const outcome = await revoking.listed(query, button.token)
      return effectsOf(query, outcome ?? { say: words.unknownButton, isAlert: true })
    }
    const ask = button && (await asks.get(button.token))
    // A token is worth something in its own chat only.
    if (!button || !ask || message?.chat.id !== ask.chatId) {
      return [answer(query.id, { say: words.unknownButton, isAlert: true })]
    }
    const who = { userId: query.from.id, chatId: ask.chatId }
    if (!(await isAllowed(who, 'approve'))) {
      return [answer(query.id, { say: words.mayNotDecide, isAlert: true })]
    }
    if (button.action === 'revoke') {
      const user = `telegram:${query.from.id}`
      return effectsOf(query, await revoking.given(ask, user, message.message_id))
    }
    const outcome = await judge(ask, button.action, query, message.message_id)
    // One that was sent twice or shown again.
    const isOther = ask.messageId !== message.message_id
    const showOther = async (): Promise<void> => {
      const now = await asks.get(ask.token)
      if (now?.decision) await decisions.showEnding(now, message.message_id)
    }
    return [...effectsOf(query, outcome), ...(isOther ? [showOther] : [])]
  }

  /** Presses again for whoever did: a decision that was taken meanwhile stands. */
  async function pressAgain(query: CallbackQuery): Promise<void> {
    for (let attempt = 1; attempt <= MAX_ATTEMPTS; attempt++) {
      await clock.wait(backoffMs(attempt), signal)
      const effects = await press(query).catch(() => undefined)
      if (!effects) continue
      for (const effect of effects) await effect()
      return
    }
  }

  return async (query) => {
    try {
      return await press(query)
    } catch (error) {
      report(error)
      const told = answer(query.id, { say: words.pressAgain, isAlert: true })
      return [told, () => pressAgain(query)]
    }
  }
}
