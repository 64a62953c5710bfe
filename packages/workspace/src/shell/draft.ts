import type { PathRequest } from './path-rule.ts'
import {
  strictest,
  worstRisk,
  type CommandPart,
  type CommandRisk,
  type Judgement,
} from './verdict.ts'

/** One thing that was found out about a command. */
export interface Finding extends Judgement {
  /** Default: `read` for what is allowed, `write` for the rest. */
  readonly risk?: CommandRisk
  /** It is asked about only because nothing is known of it. */
  readonly isUnknown?: true
  /** It is the strictest of what is said of these paths. */
  readonly paths?: readonly PathRequest[]
  /** A rule that ends in `*` allows the command: counts only where the path goes beyond that. */
  readonly isBeyondRule?: true
  /** A rule of the app says so. */
  readonly isRule?: true
  /** It is about a command that is known, and no rule may be about it. */
  readonly isOfKnown?: true
}

/** What was found out about a command, as long as nothing is said of its paths. */
export interface Draft {
  readonly text: string
  /** Paths that its words name, if they name any. */
  readonly names?: readonly string[]
  readonly found: readonly Finding[]
}

const HARMLESS: Finding = { verdict: 'allow', reason: 'changes nothing' }

/** What all that was found out about a command comes to. */
export function toPart(
  { text, found }: Draft,
  judgePath: (request: PathRequest) => Judgement,
  hasRules: boolean,
): CommandPart {
  const findings = found.map((finding) => withPaths(finding, judgePath))
  const { verdict, reason } = strictest(findings, HARMLESS)
  const needs = [...new Set(findings.flatMap((one) => one.needs ?? []))]
  const asking = findings.filter((one) => one.verdict === 'ask')
  const isUnknown = verdict === 'ask' && asking.every((one) => one.isUnknown)
  const mayFallUnderRule = hasRules && asking.some(({ isOfKnown }) => !isOfKnown)
  return {
    text,
    verdict,
    reason: isUnknown && mayFallUnderRule ? `${reason}, so a rule may be about it` : reason,
    risk: worstRisk(findings.map(riskOf)),
    ...(needs.length > 0 && { needs }),
    ...(isUnknown && { isUnknown }),
    ...(mayFallUnderRule && { mayFallUnderRule }),
  }
}

function withPaths(finding: Finding, judgePath: (request: PathRequest) => Judgement): Finding {
  const { paths, isBeyondRule, risk } = finding
  if (!paths) return finding
  const said = strictest(paths.map(judgePath), finding)
  const { verdict, needs = [] } = said
  const isOrdinary = verdict === 'ask' && needs.length === 1 && needs.includes('write')
  if (isBeyondRule && isOrdinary) return { ...HARMLESS, needs, ...(risk && { risk }) }
  // What is written to a device that keeps nothing changes nothing.
  return {
    ...said,
    ...(risk && { risk: verdict === 'allow' ? 'read' : risk }),
    ...(finding.isOfKnown && { isOfKnown: true }),
  }
}

/** The risk of one finding. */
export function riskOf({
  verdict,
  risk = verdict === 'allow' ? 'read' : 'write',
}: Finding): CommandRisk {
  return risk
}
