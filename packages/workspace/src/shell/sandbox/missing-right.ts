import { RIGHTS, type Right } from '../rights.ts'
import { HIDDEN_TEXT } from './runtime-files.ts'

/** How programs say that they were not permitted something; by the right that permits it. */
const SIGNS: readonly (readonly [Right, RegExp])[] = [
  [
    'git-settings',
    /could not (?:lock|write|set).*config|(?:\.husky\/|\.git\/(?:config|hooks|info|rebase-|sequencer)).*(?:Read-only file system|Device or resource busy)/i,
  ],
  ['write', /Read-only file system|\bEROFS\b|errno 30\b/i],
  [
    'network',
    /Network is unreachable|\bENETUNREACH\b|Temporary failure in name resolution|Could not resolve (?:host|proxy)|\bEAI_AGAIN\b|getaddrinfo (?:ENOTFOUND|failed)|Name or service not known|nodename nor servname|unable to resolve host|dial tcp.*(?:no such host|unreachable)/i,
  ],
]
const HIDDEN = HIDDEN_TEXT.slice(0, 40)
/** Characters of an output, at its end, that are looked at. */
const LOOK = 65_536

/** Finds out from what a command prints which right it lacked. */
export interface MissingRights {
  add(text: string, from: 'stdout' | 'stderr'): void
  /** Those that it does not have, in the order in which people read them. */
  found(result: { readonly exitCode: number | null }): readonly Right[]
}

/** Looks at what a command with some rights prints. */
export function watchForMissingRights(has: ReadonlySet<Right>): MissingRights {
  const tails = { stdout: '', stderr: '' }
  let sawHidden = false

  return {
    add(text, from) {
      const seen = tails[from] + text
      sawHidden ||= seen.includes(HIDDEN)
      tails[from] = seen.slice(-LOOK)
    },
    found({ exitCode }) {
      // What a command that went well prints is its subject, not its failure.
      const said = exitCode === 0 ? tails.stderr : `${tails.stderr}\n${tails.stdout}`
      const missing = new Set(
        said.split('\n').flatMap((line) => {
          // A line about settings of Git says that the folder is read-only, too.
          const sign = SIGNS.find(([, pattern]) => pattern.test(line))
          return sign ? [sign[0]] : []
        }),
      )
      if (sawHidden) missing.add('credentials')
      return RIGHTS.filter((right) => missing.has(right) && !has.has(right))
    },
  }
}
