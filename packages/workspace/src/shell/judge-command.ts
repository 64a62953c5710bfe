import { parse } from 'unbash'
import { judgePathByText, type PathRequest, type PathRule, type PathsRule } from './path-rule.ts'
import { lookAlikeInWords } from './look-alikes.ts'
import { readRules, type CommandRules } from './rules.ts'
import { judgeSource } from './script.ts'
import type { Scope } from './scope.ts'
import { toPart, type Draft } from './draft.ts'
import { strictest, type CommandPart, type Judgement, type Verdict } from './verdict.ts'

/** What becomes of a script, and of each command in it. */
export interface CommandJudgement {
  /** The strictest of its parts. */
  readonly verdict: Verdict
  /** In the order in which they stand there; those in substitutions too. */
  readonly parts: readonly CommandPart[]
  /**
   * What the words of its commands would be as paths, from where the script starts. Words that are not
   * known before it runs are left out.
   */
  readonly names: readonly string[]
  /**
   * The words of the script, when it is one program with words that are known: run as they are, no
   * shell can read them in another way.
   */
  readonly argv?: readonly string[]
}

/** Says what becomes of a command. */
export type JudgeCommand = (command: string) => Promise<CommandJudgement>

/** A longer one is asked about as a whole. */
const LONGEST_COMMAND = 10_000
/** Nodes and words of a command that are judged: with them the time is bounded. */
const MOST_STEPS = 4_000
const DEEPEST_BRACKETS = 50
/** Paths of a command that are looked at. */
const MOST_PATHS = 400
/** Control characters that bash does not take as space, and what hides or turns text. */
const DECEPTIVE =
  /[\p{Cc}\p{Cf}\p{Cs}\p{Co}\p{Zl}\p{Zp}\p{Variation_Selector}]|(?! )\p{Zs}|\u034F|\u17B4|\u17B5|[\u115F\u1160\u2800\u3164\uFFA0]/u

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
  return conclude(readCommand(command, rules), rules.judgePath ?? judgePathByText)
}

/**
 * The same with a rule of paths that takes its time, such as one that looks at a disk. It is told of
 * all paths of the command at once. Where it fails, the command is asked about.
 */
export async function judgeCommandOnDisk(
  command: string,
  rules: Omit<CommandRules, 'judgePath'>,
  judgePaths: PathsRule,
): Promise<CommandJudgement> {
  const reading = readCommand(command, rules)
  const requests = new Map<string, PathRequest>()
  for (const { found } of reading.drafts) {
    for (const request of found.flatMap(({ paths = [] }) => paths)) {
      requests.set(keyOf(request), request)
    }
  }
  const judgements = await judgePaths([...requests.values()]).catch((): Judgement[] => [])
  const said = new Map([...requests.keys()].map((key, index) => [key, judgements[index]]))
  return conclude(reading, (request) => said.get(keyOf(request)) ?? NOT_SAID)
}

const NOT_SAID: Judgement = { verdict: 'ask', reason: 'its paths could not be looked at' }

function keyOf({ path, access, isPattern, names = [], isSplit }: PathRequest): string {
  return JSON.stringify([access, isPattern, isSplit === true, names, path])
}

/** A command as it was read, before anything is said of its paths. */
interface Reading {
  readonly drafts: readonly Draft[]
  readonly argv?: readonly string[] | undefined
  /** The app has rules that ask or deny. */
  readonly hasRules: boolean
}

function readCommand(command: string, rules: CommandRules): Reading {
  const book = readRules(rules)
  const hasRules = book.has('ask') || book.has('deny')
  const whole = (verdict: Verdict, reason: string): Reading => ({
    hasRules,
    drafts: [{ text: command, found: [{ verdict, reason, risk: 'write' }] }],
  })
  if (command.includes('\0')) return whole('deny', 'a command must not hold a NUL')
  if (command.length > LONGEST_COMMAND) return whole('ask', 'the command is too long to be judged')
  if (isDeep(command)) return whole('ask', 'it is too deep to be judged')
  const deception = DECEPTIVE.test(command.replaceAll(/[\n\t]/g, ' '))
    ? 'it holds characters that cannot be seen or that change how it looks'
    : lookAlikeInWords(command)
  const reading = readParts(command, book, whole)
  if (deception === undefined) return reading
  // What it needs is told all the same, so that a yes permits what a person was asked about.
  return { hasRules, drafts: [...whole('ask', deception).drafts, ...reading.drafts] }
}

/** The parts of a command, or the command as a whole where it cannot be told apart. */
function readParts(
  command: string,
  book: Scope['book'],
  whole: (verdict: Verdict, reason: string) => Reading,
): Reading {
  const hasRules = book.has('ask') || book.has('deny')
  try {
    const drafts: Draft[] = []
    const scope: Omit<Scope, 'coverage'> = {
      book,
      folders: new Set(['']),
      variables: new Map(),
      step: countSteps(),
      loops: 0,
      depth: 0,
      judgeText,
      add: (draft) => drafts.push(draft),
    }
    const argv = judgeSource(parse(command), command, scope)
    const paths = drafts.flatMap(({ found }) => found.flatMap((one) => one.paths ?? []))
    if (paths.length > MOST_PATHS) {
      // What is forbidden by its words stays so.
      const forbidden = drafts.flatMap(({ text, found }) =>
        found.some(({ verdict }) => verdict === 'deny') ? [{ text, found }] : [],
      )
      const { drafts: asking } = whole('ask', 'it names too many paths')
      return { hasRules, drafts: [...forbidden, ...asking] }
    }
    return { hasRules, drafts, argv }
  } catch {
    return whole('ask', 'the command could not be judged')
  }
}

function conclude({ drafts, argv, hasRules }: Reading, judgePath: PathRule): CommandJudgement {
  const parts = drafts.map((draft) => toPart(draft, failingClosed(judgePath), hasRules))
  const { verdict } = strictest<Judgement>(parts, { verdict: 'allow', reason: '' })
  const names = [...new Set(drafts.flatMap((draft) => draft.names ?? []))]
  return { verdict, parts, names, ...(argv === undefined ? {} : { argv }) }
}

/** Whether more brackets are open at a time than a parser gets through in no time. */
function isDeep(command: string): boolean {
  let open = 0
  for (const [bracket] of command.matchAll(/[(){}[\]]/g)) {
    open = '({['.includes(bracket) ? open + 1 : Math.max(0, open - 1)
    if (open > DEEPEST_BRACKETS) return true
  }
  return false
}

function countSteps(): Scope['step'] {
  let steps = 0
  return (count) => {
    steps += count
    if (steps > MOST_STEPS) throw new Error('The command takes too many steps.')
  }
}

/** A rule that fails asks. */
function failingClosed(judgePath: PathRule): PathRule {
  return (request) => {
    try {
      return judgePath(request)
    } catch {
      return NOT_SAID
    }
  }
}

function judgeText(text: string, scope: Scope): void {
  // Another shell knows nothing of the variables of this one.
  judgeSource(parse(text), text, {
    ...scope,
    variables: new Map(),
    input: undefined,
    depth: scope.depth + 1,
  })
}
