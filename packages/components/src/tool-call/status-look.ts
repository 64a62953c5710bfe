import { assentMetadata, toolCallStatus } from '@assent/engine'
import type { ToolCallPart, ToolCallStatus } from '@assent/engine'
import type { Component } from 'vue'
import { IconAlert, IconBan, IconCheck, IconClock, IconCross, IconQuestion } from '../icon/icons.ts'
import { IconSpinner } from '../icon/icons.ts'
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

/** Icon, hue and word of a call as it stands, or of where its decision is. */
export function statusLook(
  part: ToolCallPart,
  locale: AssentLocale,
  delivery?: Delivery,
): StatusLook {
  if (delivery === 'sending') {
    return { icon: IconSpinner, tone: 'quiet', isMoving: true, word: locale.status.sending }
  }
  if (delivery === 'unanswered') {
    return { icon: IconAlert, tone: 'unsure', isMoving: false, word: locale.status.mayHaveRun }
  }
  const status = toolCallStatus(part)
  return {
    icon: ICONS[status],
    tone: toneOf(status),
    isMoving: ICONS[status] === IconSpinner,
    word: assentMetadata(part).late
      ? locale.laterDone(wordOf(part, status, locale))
      : wordOf(part, status, locale),
  }
}

function toneOf(status: ToolCallStatus): StatusLook['tone'] {
  if (status === 'success') return 'ok'
  if (status === 'error') return 'bad'
  return status === 'interrupted' ? 'unsure' : 'quiet'
}

function wordOf(part: ToolCallPart, status: ToolCallStatus, locale: AssentLocale): string {
  const { status: words } = locale
  switch (status) {
    case 'scheduled':
      return part.state === 'approval-responded' ? words.approved : words.scheduled
    case 'error':
      return assentMetadata(part).ended === 'timeout' ? words.timeout : words.error
    case 'success':
      return assentMetadata(part).submitted ? words.answered : words.success
    case 'awaiting-output':
      return words.awaitingOutput
    // A card that asks has no word of its own.
    case 'awaiting-approval':
      return ''
    case 'preparing':
    case 'validating':
    case 'executing':
    case 'denied':
    case 'cancelled':
    case 'interrupted':
      return words[status]
  }
}
