import type { ApprovalScope, ConfirmationOutcome } from '../../confirmation.ts'
import { isDevelopment } from '../../development.ts'
import { EngineError } from '../../errors.ts'
import type { ResumeToolCallPayload } from './commands.ts'
import { isTarget } from './find-call.ts'
import { readScope } from './scope.ts'

/** A decision as it was asked for, checked in itself. */
export interface Decision {
  readonly toolCallId: string
  readonly messageId: string | undefined
  readonly step: number | undefined
  /** Of what was shown. */
  readonly fingerprint: string | undefined
  readonly outcome: ConfirmationOutcome
  readonly reason: string | undefined
  /** The edited input; none when the model's is to run. */
  readonly input: unknown
  /** Of a `yes_always` alone. */
  readonly scope: ApprovalScope | undefined
  /** It may run although it cannot be stored that it starts. */
  readonly withoutRecord: true | undefined
}

const KEYS: ReadonlySet<string> = new Set(
  'toolCallId messageId step fingerprint outcome reason input scope withoutRecord'.split(' '),
)
const OUTCOMES: readonly unknown[] = ['yes', 'yes_always', 'no'] satisfies ConfirmationOutcome[]

/** Reads the payload of `resumeToolCall`. Throws `invalid_argument`, which says what is wrong. */
export function readDecision(payload: unknown): Decision {
  if (!isPayload(payload)) {
    throw invalid(
      isDevelopment &&
        `A decision is { toolCallId, outcome: 'yes' | 'yes_always' | 'no' }, and of ${[...KEYS].join(', ')} what else there is to say.`,
    )
  }
  const { toolCallId, messageId, step, fingerprint } = payload
  const { outcome = 'yes', reason, withoutRecord } = payload
  const input = copyOf(payload.input)
  if (outcome === 'no' && input !== undefined) {
    throw invalid(
      isDevelopment && 'A call that is denied does not run, so its input cannot be edited.',
    )
  }
  if (outcome !== 'yes_always' && payload.scope !== undefined) {
    throw invalid(isDevelopment && "A scope belongs to the outcome 'yes_always'.")
  }
  if (withoutRecord && outcome !== 'yes') {
    throw invalid(isDevelopment && "Running without a record belongs to the outcome 'yes'.")
  }
  const scope = outcome === 'yes_always' ? readScope(payload.scope) : undefined
  return {
    toolCallId,
    messageId,
    step,
    fingerprint,
    outcome,
    reason,
    input,
    scope,
    withoutRecord: withoutRecord || undefined,
  }
}

function isPayload(payload: unknown): payload is ResumeToolCallPayload {
  if (!isTarget(payload)) return false
  const { outcome = 'yes', reason = '', withoutRecord = false } = payload
  // Where no outcome is given, a key that nobody reads may have been a no.
  const isMeant = 'outcome' in payload || Object.keys(payload).every((key) => KEYS.has(key))
  return (
    isMeant &&
    typeof reason === 'string' &&
    OUTCOMES.includes(outcome) &&
    typeof withoutRecord === 'boolean'
  )
}

/** The input as JSON has it. */
function copyOf(input: unknown): unknown {
  try {
    const json = JSON.stringify(input)
    return json === undefined ? undefined : JSON.parse(json)
  } catch (cause) {
    throw new EngineError(
      'invalid_input',
      isDevelopment && 'JSON cannot express the edited input.',
      { cause },
    )
  }
}

function invalid(message: string | false): EngineError {
  return new EngineError('invalid_argument', message)
}
