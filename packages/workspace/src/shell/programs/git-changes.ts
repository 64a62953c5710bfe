import { HERE, type Argument } from '../argument.ts'
import { asks, type Program } from '../findings.ts'
import type { Right } from '../rights.ts'

/** Whether a word is among the arguments, alone or, for a short option, among others. */
function has(args: readonly Argument[], words: RegExp): boolean {
  return args.some(({ start, value = start }) => words.test(value))
}

/** Words by which a change shows what files hold, or lets a person choose among that. */
const SHOWS = /^(?:-[a-zA-Z]*[pi]|--patch|--interactive)$/

/**
 * Changes what is in the work tree or the repository; destroys, or shows what files hold, when one of its
 * words says so.
 */
function changes(reason: string, destroys?: RegExp, shows = SHOWS): Program {
  return (args, findings) => {
    // Said first: who reads what may hold secrets is told so.
    if (has(args, shows)) findings.path(HERE, 'history')
    const risk = destroys && has(args, destroys) ? 'destroy' : 'write'
    findings.add('ask', reason, { risk, needs: ['write'] })
  }
}

/** Takes all files that Git keeps with it. */
function packs(reason: string, ...needs: Right[]): Program {
  return (args, findings) => {
    findings.path(HERE, 'history')
    const risk = has(args, /^(?:remove|prune)$/) ? 'destroy' : 'write'
    findings.add('ask', reason, { risk, needs: ['write', ...needs] })
  }
}

const push: Program = (args, findings) => {
  const forced = /^(?:-[a-z]*[fd]|--(?:force|delete|mirror|prune)|[+:])/
  findings.add('ask', 'sends commits to another machine', {
    risk: has(args, forced) ? 'destroy' : 'write',
    needs: ['network', 'credentials'],
  })
}

const fetches = asks(
  'gets commits from another machine',
  'write',
  'write',
  'network',
  'credentials',
)
const settings = asks('changes the settings of the repository', 'write', 'write', 'git-settings')

/** What Git changes, by its own words. */
export const GIT_CHANGES: Readonly<Record<string, Program>> = {
  add: changes('stages files'),
  am: changes('applies patches'),
  apply: changes('applies a patch'),
  archive: packs('packs all files that Git keeps'),
  bisect: changes('changes the work tree', undefined, /^(?:view|visualize|run)$/),
  branch: changes('makes or changes a branch', /^(?:-[a-zA-Z]*[dDMCf]|--(?:delete|force))/),
  bundle: packs('packs all files that Git keeps'),
  checkout: changes('changes the work tree', /^(?:\.|--|-[a-z]*f|--force|.*[/*].*)$/),
  'cherry-pick': changes('makes commits'),
  clean: changes('deletes files', /^(?!-[a-zA-Z]*n|--dry-run)/),
  clone: asks(
    'gets a repository from another place',
    'write',
    'write',
    'network',
    'git-settings',
    'credentials',
  ),
  commit: changes(
    'makes a commit',
    undefined,
    /^(?:-[a-zA-Z]*[pv][a-zA-Z]*|--(?:patch|interactive|verbose))$/,
  ),
  fetch: fetches,
  'format-patch': packs('writes commits as patches'),
  'filter-branch': asks('writes the history anew', 'destroy', 'write'),
  gc: asks('deletes old objects', 'destroy', 'write'),
  init: settings,
  'ls-remote': asks('asks another machine', 'read', 'network', 'credentials'),
  merge: changes('merges commits'),
  mv: changes('moves files'),
  notes: changes('changes notes'),
  prune: asks('deletes old objects', 'destroy', 'write'),
  pull: fetches,
  push,
  rebase: changes('writes commits anew'),
  reset: changes('moves a branch', /^--(?:hard|merge|keep)/),
  restore: changes('throws changes away', /^/),
  revert: changes('makes commits'),
  rm: asks('deletes files', 'destroy', 'write'),
  'sparse-checkout': settings,
  stash: changes('changes the stash', /^(?:drop|clear)$/),
  submodule: (args, findings) => {
    if (has(args, /^foreach$/)) findings.path(HERE, 'history')
    const needs = ['network', 'git-settings'] as const
    findings.add('ask', 'changes submodules', { risk: 'write', needs: ['write', ...needs] })
  },
  switch: changes('changes the work tree', /^(?:-[a-zA-Z]*[fC]|--(?:force|discard-changes))/),
  tag: changes('makes or changes a tag', /^(?:-[a-z]*[df]|--(?:delete|force))/),
  'update-index': changes('stages files'),
  'update-ref': asks('moves branches', 'destroy', 'write'),
  worktree: packs('changes work trees', 'git-settings'),
  config: settings,
  remote: settings,
  reflog: asks('deletes entries', 'destroy', 'write'),
}
