import { Api } from 'grammy'
import { botHttp } from './bot-http.ts'
import type { ChatMoves } from './chat-moves.ts'
import { judgeFailure } from './failed-call.ts'
import { TelegramError } from './telegram-error.ts'
import { backoffMs, type Clock } from './waiting.ts'

/** What a call knows of the tries before it. */
export interface Attempt {
  /** For what is not a call of the API; those end by themselves. */
  readonly signal: AbortSignal
  /** An earlier try failed in a way that leaves open whether it took effect. */
  readonly mayHaveArrived: boolean
}

/** One call to Telegram. */
export type Call<T> = (api: Api, attempt: Attempt) => Promise<T>

/**
 * Makes a call, again as long as that makes sense: a `retry_after` is waited out, failures of the
 * network and of Telegram itself are tried again with growing waits.
 *
 * @throws TelegramError
 */
export type MakeCall = <T>(call: Call<T>, tries?: Tries) => Promise<T>

/** How often a call is tried. */
export interface Tries {
  /** For reasons other than too many calls. Default 5. */
  readonly most?: number
  /** Whether an unknown token fails at once; else that may pass, as a fault of Telegram does. Default `false`. */
  readonly isTokenNew?: boolean
}

/** How long somebody waits for a chat that takes no more. Default: as long as that takes. */
export interface Patience {
  /** Rejects with `held` when the wait would be longer. */
  readonly maxWaitMs?: number
  /** Rejects with `stopped` once it aborts, before the next call. */
  readonly signal?: AbortSignal | undefined
}

/** The way to Telegram. */
export interface BotClient {
  /**
   * Does something in a chat once all that was to be done there before is over. While it waits, other
   * chats go on.
   */
  inChat<T>(chatId: number, act: (make: MakeCall) => Promise<T>, patience?: Patience): Promise<T>
  /** Makes a call that stands in no order. */
  readonly make: MakeCall
  /**
   * Does something that nothing depends on, each call of it once, unless the chat is held up. Never rejects;
   * resolves to `undefined` when it did not go well.
   */
  hint<T>(chatId: number, act: (make: MakeCall) => Promise<T>): Promise<T | undefined>
  /**
   * Ends all waits and long polls, and takes no more calls: they reject with `stopped`. Calls that are
   * under way have so long to end.
   */
  stop(graceMs: number): Promise<void>
  /** What is on its way to chats, or waits for its turn there. */
  sending(): { readonly messages: number; readonly heldChats: number }
}

export interface BotClientOptions {
  readonly token: string
  readonly apiRoot: string
  readonly clock: Clock
  readonly moves: ChatMoves
  /** Told how each call ended: with no error when Telegram took it. */
  readonly noteOutcome: (error?: TelegramError) => void
}

/** Tries of a call that fails for reasons other than too many calls. */
const MAX_ATTEMPTS = 5

export function createBotClient(options: BotClientOptions): BotClient {
  const { token, apiRoot, clock, moves, noteOutcome } = options
  const api = new Api(token)
  const stopping = new AbortController()
  const cutting = new AbortController()
  const signalOf = (method: string) => (method === 'getUpdates' ? stopping : cutting).signal
  api.config.use(botHttp({ token, apiRoot, clock, moves, signalOf }))
  /** The last of what is to be done in each chat; settles when it is over, and never rejects. */
  const lastOf = new Map<number, Promise<void>>()
  /** When a chat that was told to wait may be written to again. */
  const heldUntil = new Map<number, number>()
  const underWay = new Set<Promise<unknown>>()
  let acts = 0

  async function pause(ms: number, signal = stopping.signal): Promise<void> {
    try {
      await clock.wait(ms, AbortSignal.any([stopping.signal, signal]))
    } catch {
      throw stopped()
    }
  }

  async function tryOnce<T>(call: Call<T>, mayHaveArrived: boolean): Promise<T> {
    if (stopping.signal.aborted) throw stopped()
    const made = call(api, { signal: cutting.signal, mayHaveArrived })
    underWay.add(made)
    try {
      const result = await made
      noteOutcome()
      return result
    } finally {
      underWay.delete(made)
    }
  }

  /** Waits until a chat takes something again. */
  async function waitFor(chatId: number, { maxWaitMs, signal }: Patience): Promise<void> {
    for (;;) {
      const ms = (heldUntil.get(chatId) ?? 0) - clock.now()
      if (ms <= 0) break
      if (ms > (maxWaitMs ?? Infinity)) throw held(ms)
      await pause(ms, signal)
    }
    heldUntil.delete(chatId)
    if (signal?.aborted) throw stopped()
  }

  async function make<T>(
    call: Call<T>,
    { most = MAX_ATTEMPTS, isTokenNew = false }: Tries = {},
    chatId?: number,
    patience: Patience = {},
  ): Promise<T> {
    let mayHaveArrived = false
    try {
      for (let failures = 0; ;) {
        if (chatId !== undefined) await waitFor(chatId, patience)
        try {
          return await tryOnce(call, mayHaveArrived)
        } catch (thrown) {
          const failed = judgeFailure(thrown)
          if (failed.next !== 'wait' && !stopping.signal.aborted) noteOutcome(failed.error)
          if (failed.next === 'fail') throw failed.error
          if (failed.next === 'wait') {
            if (chatId === undefined) await pause(failed.ms)
            else heldUntil.set(chatId, clock.now() + failed.ms)
            continue
          }
          failures++
          mayHaveArrived ||= failed.error.mayHaveArrived
          const isHopeless = isTokenNew && failed.error.code === 'unauthorized'
          if (failures >= most || isHopeless) throw failed.error
        }
        await pause(backoffMs(failures), patience.signal)
      }
    } catch (error) {
      throw error instanceof TelegramError && mayHaveArrived ? error.afterArrival() : error
    }
  }

  return {
    inChat(chatId, act, patience) {
      // Whoever does not wait so long need not wait for those before it either.
      const ms = (heldUntil.get(chatId) ?? 0) - clock.now()
      if (ms > (patience?.maxWaitMs ?? Infinity)) return Promise.reject(held(ms))
      const before = lastOf.get(chatId) ?? Promise.resolve()
      acts++
      const done = before.then(() => act((call, tries) => make(call, tries, chatId, patience)))
      const over = done.then(nothing, nothing).then(() => {
        acts--
        if (lastOf.get(chatId) === over) lastOf.delete(chatId)
      })
      lastOf.set(chatId, over)
      return done
    },
    make: (call, tries) => make(call, tries),
    async hint(chatId, act) {
      if ((heldUntil.get(chatId) ?? 0) > clock.now()) return undefined
      const once: MakeCall = async (call) => {
        try {
          return await tryOnce(call, false)
        } catch (error) {
          const failed = judgeFailure(error)
          if (failed.next === 'wait') heldUntil.set(chatId, clock.now() + failed.ms)
          throw failed.next === 'wait' ? held(failed.ms) : failed.error
        }
      }
      return act(once).catch(() => undefined)
    },
    async stop(graceMs) {
      stopping.abort()
      const grace = new AbortController()
      const ended = Promise.allSettled(underWay)
      await Promise.race([ended, clock.wait(graceMs, grace.signal).catch(nothing)])
      grace.abort()
      cutting.abort()
      await Promise.allSettled(lastOf.values())
    },
    sending() {
      const held = [...heldUntil.values()].filter((until) => until > clock.now())
      return { messages: acts, heldChats: held.length }
    },
  }
}

function nothing(): void {}

function held(ms: number): TelegramError {
  const seconds = Math.ceil(ms / 1_000)
  return new TelegramError('held', `The chat takes no more messages for ${seconds} s.`, {
    retryAfterMs: ms,
  })
}

function stopped(): TelegramError {
  return new TelegramError('stopped', 'The channel was stopped; make another one.')
}
