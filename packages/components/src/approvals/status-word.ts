import type { ToolCallStatus } from '@assent/engine'
import type { AssentLocale } from '../locale/locale.ts'

/** How a call stands, in a word; none while a person is asked about it, or when it is not known. */
export function statusWord(
  status: ToolCallStatus | undefined,
  { status: words }: AssentLocale,
): string {
  switch (status) {
    case undefined:
    case 'awaiting-approval':
    case 'denied':
      return ''
    case 'awaiting-output':
      return words.awaitingOutput
    default:
      return words[status]
  }
}
