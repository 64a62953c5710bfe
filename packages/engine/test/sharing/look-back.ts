import { isDeepStrictEqual } from 'node:util'
import { textOf } from '../../src/message/message-input.ts'
import { toolCallsOf } from '../../src/message/tool-calls.ts'
import { isSettled } from '../../src/message/tool-part.ts'
import type { SharedEngine } from '../../src/sharing/shared-engine.ts'
import type { FakeTab } from './fake-browser.ts'
import type { Rules } from './rules.ts'

export interface Tab {
  readonly page: FakeTab
  readonly engine: SharedEngine
  /** What it asked for and has no answer to. */
  readonly open: Set<string>
}

/** What a person was told of their decision. */
export interface Told {
  readonly toolCallId: string
  readonly outcome: 'yes' | 'no'
}

/** What a play came to. */
export interface Played {
  readonly tabs: readonly Tab[]
  /** How often each call ran. */
  readonly runs: ReadonlyMap<string, number>
  readonly told: readonly Told[]
  /** Something was aborted, killed or left. */
  readonly isDisturbed: boolean
}

/** Holds what a play came to against the rules, once everything is at rest. */
export function lookBack({ tabs, runs, told, isDisturbed }: Played, rules: Rules): void {
  const holders = tabs.filter(({ engine }) => engine.role() === 'holder')
  rules.hold('one tab holds the conversation', holders.length === 1, holders.length)
  const [holder] = holders
  if (!holder) return rules.report()
  const state = holder.engine.getState()
  rules.hold('everything comes to rest', tabs.every(isOver), stateOf(holder))
  for (const tab of tabs) {
    const isSame = isDeepStrictEqual(stateOf(tab), stateOf(holder))
    rules.hold('all tabs show the same', isSame, [stateOf(tab), stateOf(holder)])
    rules.hold('every promise settles', tab.open.size === 0, [...tab.open])
  }
  const texts = state.messages.filter(({ role }) => role === 'user').map(textOf)
  rules.hold('no message is sent twice', new Set(texts).size === texts.length, texts)
  const calls = state.messages.flatMap((message) => toolCallsOf(message))
  for (const { part, toolCallId } of calls) {
    rules.hold('every call has its result', isSettled(part), part)
    const count = runs.get(toolCallId) ?? 0
    if (part.state === 'output-available') {
      rules.hold('what has an output ran once', count === 1, part)
    }
    if (isDisturbed) continue
    const isYes = told.some((one) => one.toolCallId === toolCallId && one.outcome === 'yes')
    if (isYes) rules.hold('what was approved runs once', count === 1, part)
  }
  for (const { toolCallId, outcome } of told) {
    const isKept = state.confirmations.some(
      (record) =>
        'outcome' in record && record.toolCallId === toolCallId && record.outcome === outcome,
    )
    rules.hold('no decision is lost', isKept, toolCallId)
  }
}

/** Nothing of a tab's conversation is open any more. */
export function isOver({ engine }: Tab): boolean {
  const { requestState, queue } = engine.getState()
  return requestState !== 'processing' && requestState !== 'paused' && queue.length === 0
}

function stateOf({ engine }: Tab): object {
  const { error, ...state } = engine.getState()
  // What JSON leaves out counts as not there.
  return JSON.parse(JSON.stringify({ ...state, error: error && [error.code, error.message] }))
}
