import type { TaskAnswer } from '@assent/worker'
import type { JSONValue } from 'ai'
import { receiptKeyboard } from './ask-buttons.ts'
import { receiptText, type AskEnding } from './ask-text.ts'
import type { ChannelGround } from './channel-ground.ts'
import type { KeptAsk } from './kept-asks.ts'
import { editText } from './sending.ts'
import type { HeldDecision, KeptDecision } from './telegram-records.ts'

/** Takes decisions in, hands them to their tasks, and turns questions into receipts. */
export interface Decisions {
  /**
   * The first one wins: answers with the one that holds, and whether it is this one. It is on disk, and
   * handed to its task unless that fails, which is tried again.
   */
  take(ask: KeptAsk, decision: Omit<KeptDecision, 'at'>): Promise<HeldDecision>
  /** Nobody decided in time, or nobody could be asked: denied, with a reason for the assistant. */
  denyUnseen(ask: KeptAsk, reason: string): Promise<void>
  /**
   * Does what is left to be done about a question that was decided, or does not wait any more: hands
   * the decision to the task, edits the message. Can be done again at any time.
   */
  settle(token: string, isLapsed?: boolean): Promise<void>
  /** Denies what nobody decided about in time, as soon as somebody looks. */
  expire(ask: KeptAsk): Promise<KeptAsk>
  /**
   * Makes any message say what became of a question.
   *
   * @param why its decision could not be taken, where that is known
   */
  showEnding(ask: KeptAsk, messageId: number, why?: string): Promise<void>
  /** The call of a question is asked about again: the one before says that its decision was not taken. */
  showNotTaken(ask: KeptAsk, why: string | undefined): Promise<void>
  /** A question is shown a second time: that message will say what became of it as well. */
  addCopy(token: string, messageId: number): Promise<void>
}

export function decisions(ground: ChannelGround): Decisions {
  const { inbox, asks, client, clock, words, standing, report } = ground
  /** By token; a decision is handed over once at a time. */
  const delivering = new Map<string, Promise<void>>()
  const settling = new Map<string, Promise<void>>()
  /** By token. Those of an earlier process become receipts when somebody presses a button of them. */
  const copies = new Map<string, number[]>()

  async function deliver({ token }: KeptAsk): Promise<void> {
    const ask = await asks.get(token)
    if (!ask?.decision || ask.isDelivered) return
    // A task that is over takes none; then the decision comes to nothing, and the receipt stays.
    await inbox.answer(ask.taskId, toAnswer(ask, ask.decision))
    await asks.setDelivered(token)
  }

  /** Whether its call was asked about again, as the decision was not taken. */
  async function isAskedAgain({ taskId, callKey, round }: KeptAsk): Promise<boolean> {
    const known = await asks.ofTask(taskId)
    return known.some((other) => other.callKey === callKey && other.round > round)
  }

  async function endingOf(ask: KeptAsk, why: string | undefined): Promise<AskEnding> {
    const { decision } = ask
    if (!decision) return { kind: 'lapsed' }
    if (await isAskedAgain(ask)) return { kind: 'not-taken', decision, why }
    return decision.userId === undefined
      ? { kind: 'expired', at: decision.at }
      : { kind: 'decided', decision }
  }

  async function showEnding(ask: KeptAsk, messageId: number, why?: string): Promise<void> {
    await client.inChat(ask.chatId, async (make) => {
      // Looked at in the turn of the chat: what is shown last is what holds last.
      const ending = await endingOf(ask, why)
      const isAlways = ending.kind === 'decided' && ending.decision.outcome === 'yes_always'
      const given = isAlways ? await standing?.given(ask) : undefined
      // One receipt is enough to read, and to revoke by.
      const isShort = ask.messageId !== undefined && ask.messageId !== messageId
      const isRevoked = given?.status === 'revoked'
      const text = receiptText(ask.call, ending, words, { isRevoked, isShort })
      const isOffered = given?.status === 'holds' && !isShort
      const keyboard = isOffered ? receiptKeyboard(ask, words) : undefined
      await editText(make, ask.chatId, messageId, text, keyboard)
    })
  }

  async function settle(token: string, isLapsed: boolean): Promise<void> {
    const ask = await asks.get(token)
    if (!ask || ask.isOver || !(ask.decision || isLapsed)) return
    await once(delivering, token, () => deliver(ask))
    if (ask.messageId !== undefined) await showEnding(ask, ask.messageId)
    await asks.setOver(token)
    await showCopies(token)
  }

  async function showCopies(token: string): Promise<void> {
    const shown = copies.get(token) ?? []
    copies.delete(token)
    const ask = shown.length > 0 ? await asks.get(token) : undefined
    if (ask) for (const messageId of shown) await showEnding(ask, messageId)
  }

  async function take(ask: KeptAsk, decision: Omit<KeptDecision, 'at'>): Promise<HeldDecision> {
    const taken = await asks.decide(ask.token, { ...decision, at: clock.now() })
    await once(delivering, ask.token, () => deliver(ask)).catch(report)
    return taken
  }

  async function denyUnseen(ask: KeptAsk, reason: string): Promise<void> {
    await take(ask, { outcome: 'no', words: reason, userName: words.nobody })
  }

  return {
    take,
    denyUnseen,
    async expire(ask) {
      const { expiresAt = Infinity } = ask
      if (ask.decision || ask.isOver || expiresAt > clock.now()) return ask
      await denyUnseen(ask, words.expiredReason)
      return (await asks.get(ask.token)) ?? ask
    },
    async addCopy(token, messageId) {
      copies.set(token, [...(copies.get(token) ?? []), messageId])
      if ((await asks.get(token))?.isOver === true) await showCopies(token)
    },
    settle: (token, isLapsed = false) => once(settling, token, () => settle(token, isLapsed)),
    showEnding,
    async showNotTaken({ taskId, callKey, round }, why) {
      const known = await asks.ofTask(taskId)
      const before = known.findLast((ask) => ask.callKey === callKey && ask.round < round)
      if (!before?.decision || before.messageId === undefined) return
      await showEnding(before, before.messageId, why)
    },
  }
}

/** Does something unless it is being done: then this waits for that. */
function once(
  running: Map<string, Promise<void>>,
  key: string,
  act: () => Promise<void>,
): Promise<void> {
  const known = running.get(key)
  if (known) return known
  const made = act().finally(() => running.delete(key))
  running.set(key, made)
  return made
}

/** A decision as a worker takes it. */
function toAnswer({ call }: KeptAsk, decision: KeptDecision): JSONValue {
  const { outcome, covers, words, userId, userName } = decision
  const { toolCallId, messageId, step, fingerprint } = call
  const target = { toolCallId, messageId, step, ...(fingerprint !== undefined && { fingerprint }) }
  const user = userId === undefined ? 'telegram' : `telegram:${userId}`
  // A name can be anything, also that of another one.
  const by = userId === undefined ? user : `${userName} (${user})`
  if (call.kind === 'output') {
    const output = outcome === 'answered' ? { output: words ?? '' } : { errorText: words ?? '' }
    return { outputs: [{ ...target, ...output }], by, user } satisfies TaskAnswer
  }
  return {
    decisions: [
      {
        ...target,
        outcome: outcome === 'answered' ? 'no' : outcome,
        ...(words !== undefined && { reason: words }),
        ...(covers !== undefined && { scope: { covers } }),
      },
    ],
    by,
    user,
  } satisfies TaskAnswer
}
