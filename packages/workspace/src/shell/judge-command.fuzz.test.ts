import { performance } from 'node:perf_hooks'
import { forEachChild, parse, type SyntaxNode } from 'unbash'
import { expect, it, vi } from 'vitest'
import { DAILY } from './daily-commands.fixture.ts'
import { DENIED } from './denied-commands.fixture.ts'
import { EVERYDAY } from './everyday-commands.fixture.ts'
import { HARMFUL_OPTIONS } from './harmful-options.fixture.ts'
import { HIDDEN } from './hidden-commands.fixture.ts'
import { HIDDEN_SUBSTITUTIONS } from './hidden-substitutions.fixture.ts'
import { judgeCommand } from './judge-command.ts'
import { programOf } from './programs.ts'

const isDeep = process.env['ASSENT_DEEP'] === '1'
const isSoak = process.env['ASSENT_SOAK'] === '1'
const RUNS = isSoak ? 1_000_000 : isDeep ? 60_000 : 4_000
vi.setConfig({ testTimeout: isSoak ? 7_200_000 : isDeep ? 600_000 : 60_000 })

const CORPUS = [
  ...EVERYDAY,
  ...DAILY,
  ...HARMFUL_OPTIONS,
  ...HIDDEN,
  ...HIDDEN_SUBSTITUTIONS,
  ...DENIED,
]
const PIECES =
  '$( ) ` <( >( ${ } $(( )) $[ ] [[ ]] (( { ; | & && || ;; \n \\ \' " \\\n # ~ * ? [a] {a,b} {1..3} = x= x=( )b += ' +
  '$x $\' $" > >> < <<< <<EOF\n \nEOF\n 2>&1 rm if then fi for in do done case esac while function f() time ! coproc ' +
  'xargs find -exec {} \\; + env sh -c eval read x[ $(rm y) `rm y` <(rm y) :- @P !x 0 -eq awk sed -e s/a/b/ git -C .env ../ /'
const TOKENS = [...PIECES.split(' '), ' ', '  ', '\t', 'é', '\u200B', '\0', '資']

/** Numbers that look random and are the same each time. */
function numbersFrom(seed: number): (below: number) => number {
  let state = seed
  return (below) => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) % below
  }
}

/** A command of the corpus, or two of them, with pieces put in, left out and repeated. */
function commandOf(seed: number): string {
  const next = numbersFrom(seed)
  const one = () => CORPUS[next(CORPUS.length)] ?? ''
  let text = next(5) === 0 ? '' : one()
  if (next(6) === 0) text += (TOKENS[next(TOKENS.length)] ?? '') + one()
  for (let left = 1 + next(5); left > 0; left--) {
    const at = next(text.length + 1)
    const to = Math.min(text.length, at + next(6))
    const token = TOKENS[next(TOKENS.length)] ?? ''
    const change = next(5)
    if (change === 0) text = text.slice(0, at) + text.slice(to)
    else if (change === 1)
      text = text.slice(0, at) + text.slice(at, to).repeat(2 + next(3)) + text.slice(to)
    else text = text.slice(0, at) + token + text.slice(change === 2 ? to : at)
  }
  // Now and then a piece that comes hundreds of times.
  return next(400) === 0 ? text + (TOKENS[next(TOKENS.length)] ?? '').repeat(next(1_500)) : text
}

/** The places of a text where bash begins a substitution, by its quotes alone: it is no parser. */
function substitutionsOf(text: string): number[] {
  const found: number[] = []
  let quote = ''
  for (let at = 0; at < text.length; at++) {
    const sign = text.charAt(at)
    if (quote === "'") {
      if (sign === "'") quote = ''
    } else if (sign === '\\') at++
    else if (sign === '"') quote = quote === '"' ? '' : '"'
    else if (sign === "'" && quote === '') quote = "'"
    // Documents, comments and what is inside of a substitution have quotes of their own.
    else if (sign === '`' || text.startsWith('$(', at)) return [...found, at]
    else if (sign === '#' || text.startsWith('<<', at) || text.startsWith('${', at)) return found
    else if (quote === '' && /^[<>]\(/.test(text.slice(at, at + 2))) return [...found, at]
    else if (text.startsWith("$'", at)) return found
  }
  return found
}

const BEGIN: ReadonlySet<SyntaxNode['type']> = new Set([
  'CommandExpansion',
  'ProcessSubstitution',
  'ArithmeticExpansion',
  'ArithmeticCommandExpansion',
])

/** Every node of a script, those in its substitutions too. */
function nodesOf(node: SyntaxNode): SyntaxNode[] {
  const nodes = [node]
  forEachChild(node, (child) => void nodes.push(...nodesOf(child)))
  return nodes
}

/** Milliseconds that a command takes; the least of some times where another process may be to blame. */
function timeOf(command: string): number {
  const once = () => {
    const started = performance.now()
    judgeCommand(command)
    return performance.now() - started
  }
  const first = once()
  return first < 50 ? first : Math.min(first, once(), once(), once())
}

it('any command is judged in time, and what is let through holds nothing that was not seen', () => {
  // What is compiled for the first time is no part of the time.
  for (const command of CORPUS) judgeCommand(command)
  let allowed = 0
  let slowest = 0
  const verdicts = { allow: 0, ask: 0, deny: 0 }
  for (let seed = 1; seed <= RUNS; seed++) {
    const command = commandOf(seed)
    slowest = Math.max(slowest, timeOf(command))
    if (slowest >= 50) throw new Error(`It takes ${slowest} ms: ${JSON.stringify(command)}`)
    const { verdict, parts } = judgeCommand(command)
    verdicts[verdict]++
    if (verdict !== 'allow') continue
    allowed++
    const nodes = nodesOf(parse(command))
    const known = nodes.every((node) => {
      if (node.type !== 'Command' || !node.name) return true
      return (
        programOf(node.name.value.replace(/^(?:\/usr(?:\/local)?)?\/s?bin\//, '')) !== undefined
      )
    })
    const begun = new Set(nodes.flatMap((node) => (BEGIN.has(node.type) ? [node.pos] : [])))
    const missed = substitutionsOf(command).filter((at) => !begun.has(at))
    const harmful = parts.filter(
      ({ risk, isUnknown, needs }) => risk !== 'read' || isUnknown || needs,
    )
    if (!known || missed.length > 0 || harmful.length > 0) {
      throw new Error(JSON.stringify({ seed, command, known, missed, harmful }))
    }
  }
  process.stdout.write(
    `Judged ${RUNS} commands: ${verdicts.allow} allowed, ${verdicts.ask} asked, ${verdicts.deny} denied; ` +
      `the slowest took ${slowest.toFixed(1)} ms.\n`,
  )
  expect(allowed).toBeGreaterThan(RUNS / 50)
})
