import { assentMetadata, toolCallStatus } from '@assent/engine'
import type { ToolCallPart, ToolCallStatus } from '@assent/engine'
import type { Component } from 'vue'
import { IconAlert, IconBan, IconCheck, IconClock, IconCross, IconQuestion } from '../icon/icons.ts'
import { IconSpinner } from '../icon/icons.ts'
import type { AssentConfig } from '../config/config.ts'
import type { AssentLocale } from '../locale/locale.ts'
import type { Delivery } from './use-delivery.ts'

/** How a status is shown: an icon, its hue, and the word for it. */
export interface StatusLook {
  icon: Component
  tone: 'quiet' | 'ok' | 'bad' | 'unsure'
  isMoving: boolean
  word: string
}

const ICONS: Record<ToolCallStatus, Component> = {
  preparing: IconSpinner,
  validating: IconSpinner,
  'awaiting-approval': IconQuestion,
  'awaiting-output': IconQuestion,
  scheduled: IconClock,
  executing: IconSpinner,
  success: IconCheck,
  error: IconCross,
  denied: IconCross,
  cancelled: IconBan,
  interrupted: IconAlert,
}

const TONES: Partial<Record<ToolCallStatus, StatusLook['tone']>> = {
  success: 'ok',
  error: 'bad',
  interrupted: 'unsure',
}

/** Icon, hue and word of a call as it stands, or of where its decision is. */
export function statusLook(
  part: ToolCallPart,
  { locale }: Pick<AssentConfig, 'locale'>,
  delivery?: Delivery,
): StatusLook {
  const [icon, tone, word] = partsOf(part, locale, delivery)
  return { icon, tone, word, isMoving: icon === IconSpinner }
}

function partsOf(
  part: ToolCallPart,
  locale: AssentLocale,
  delivery: Delivery | undefined,
): [Component, StatusLook['tone'], string] {
  if (delivery === 'sending') return [IconSpinner, 'quiet', locale.status.sending]
  if (delivery) return [IconAlert, 'unsure', locale.status.mayHaveRun]
  const { failure } = assentMetadata(part)
  if (failure) return [IconAlert, 'unsure', failure]
  const status = toolCallStatus(part)
  const word = wordOf(part, status, locale)
  return [
    ICONS[status],
    TONES[status] ?? 'quiet',
    assentMetadata(part).late ? locale.laterDone(word) : word,
  ]
}

function wordOf(part: ToolCallPart, status: ToolCallStatus, locale: AssentLocale): string {
  const { status: words } = locale
  const { ended, submitted } = assentMetadata(part)
  if (status === 'scheduled' && part.state === 'approval-responded') return words.approved
  if (status === 'error' && ended === 'timeout') return words.timeout
  return status === 'success' && submitted ? words.answered : statusWord(status, locale)
}

/** How a call stands, in the word that the chat and the record of decisions say. */
export function statusWord(status: ToolCallStatus, { status: words }: AssentLocale): string {
  if (status === 'awaiting-output') return words.awaitingOutput
  return status === 'awaiting-approval' ? words.awaitingApproval : words[status]
}

/** What is said of a call that the engine has ended, in place of a result; `undefined` for all others. */
export function endInWords(part: ToolCallPart, locale: AssentLocale): string | undefined {
  const { ended, mayHaveRun, startedAt, decidedBy } = assentMetadata(part)
  if (ended === 'interrupted') return locale.interruptedText
  if (ended === 'timeout') return locale.timeoutText
  if (ended !== 'cancelled') return undefined
  const { before, unstarted, mayHaveRun: perhaps } = locale.cancelledText
  if (mayHaveRun || startedAt !== undefined) return perhaps
  return part.approval && decidedBy === undefined ? before : unstarted
}
