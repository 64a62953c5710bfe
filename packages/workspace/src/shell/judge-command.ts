import { parse } from 'unbash'
import { readRules, type CommandRules } from './rules.ts'
import { judgeScript } from './script.ts'
import type { Scope } from './scope.ts'
import { strictest, type CommandPart, type Judgement, type Verdict } from './verdict.ts'

/** What becomes of a script, and of each command in it. */
export interface CommandJudgement {
  /** The strictest of its parts. */
  readonly verdict: Verdict
  /** In the order in which they stand there; those in substitutions too. */
  readonly parts: readonly CommandPart[]
  /**
   * The words of the script, when it is one program with words that are known: run as they are, no
   * shell can read them in another way.
   */
  readonly argv?: readonly string[]
}

/** A longer one is asked about as a whole. */
const LONGEST_COMMAND = 20_000
/** Control characters that bash does not take as space, and what hides or turns text. */
const DECEPTIVE = /[\p{Cc}\p{Cf}\p{Cs}\p{Co}\p{Zl}\p{Zp}]|(?! )\p{Zs}|[\u115F\u1160\u3164\uFFA0]/u

/**
 * Judges a command line of bash, part by part: every simple command in lists, pipes, substitutions
 * and behind wrappers such as `env` and `xargs`, every redirection, by what is known of the program
 * and of each of its options. What cannot be parsed or is not known is asked about.
 *
 * Pure: nothing is run and, unless `rules.judgePath` does, nothing is looked up. It keeps commands
 * apart that need a person from those that do not; it is no sandbox.
 *
 * Throws a `RangeError` for rules that could let through more than they say.
 */
export function judgeCommand(command: string, rules: CommandRules = {}): CommandJudgement {
  const book = readRules(rules)
  const whole = (verdict: Verdict, reason: string): CommandJudgement => ({
    verdict,
    parts: [{ text: command, verdict, reason }],
  })
  if (command.includes('\0')) return whole('deny', 'a command must not hold a NUL')
  if (command.length > LONGEST_COMMAND) return whole('ask', 'the command is too long to be judged')
  if (DECEPTIVE.test(command.replaceAll(/[\n\t]/g, ' '))) {
    return whole('ask', 'it holds characters that cannot be seen or that change how it looks')
  }
  try {
    const parts: CommandPart[] = []
    const scope: Scope = {
      book,
      judgePath: rules.judgePath,
      folders: new Set(['']),
      loops: 0,
      depth: 0,
      judgeText,
      add: (part) => parts.push(part),
    }
    const script = parse(command)
    const argv = judgeScript(script, command, scope)
    const { verdict } = strictest<Judgement>(parts, { verdict: 'allow', reason: '' })
    return { verdict, parts, ...(argv === undefined ? {} : { argv }) }
  } catch {
    return whole('ask', 'the command could not be judged')
  }
}

function judgeText(text: string, scope: Scope): void {
  judgeScript(parse(text), text, { ...scope, depth: scope.depth + 1 })
}
