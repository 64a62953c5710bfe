import type { CommandJudgement } from '../judge-command.ts'
import { RIGHTS, type Right } from '../rights.ts'
import type { Credentials } from '../sandbox/credentials.ts'
import type { Survey } from '../sandbox/view-of.ts'

/** All that rights come to, so that two of them can be compared. */
export function extentOf(rights: ReadonlySet<Right>, credentials: Credentials | undefined): string {
  if (!credentials) return JSON.stringify([...rights])
  const { inWorkspace, isAll, inHome, agentSocket } = credentials
  const paths = isAll ? 'all' : inWorkspace.map(({ path }) => path).toSorted()
  return JSON.stringify([[...rights], paths, inHome, agentSocket])
}

/** What a command needs: what the model says, and what is known of its programs. */
export function rightsOf(
  { parts }: CommandJudgement,
  wanted: readonly Right[] = [],
  { failure, repositories }: Survey,
): ReadonlySet<Right> {
  const needed = new Set([...wanted, ...parts.flatMap((part) => part.needs ?? [])])
  // What cannot be hidden or kept as it is, a person is asked for.
  if (failure !== undefined) needed.add('credentials')
  if (!repositories && needed.has('write')) needed.add('git-settings')
  return new Set(RIGHTS.filter((right) => needed.has(right)))
}

/**
 * Nothing asks, or only that nothing is known of it: the sandbox permits no harm. But it knows no rules of
 * the app: where one may be about a command, it asks.
 */
export function needsNoQuestion({ parts }: CommandJudgement): boolean {
  return parts.every(
    ({ verdict, isUnknown, mayFallUnderRule }) =>
      verdict === 'allow' || (isUnknown === true && !mayFallUnderRule),
  )
}
