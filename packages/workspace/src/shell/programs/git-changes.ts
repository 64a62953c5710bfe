import type { Argument } from '../argument.ts'
import { asks, type Program } from '../findings.ts'

/** Whether a word is among the arguments, alone or, for a short option, among others. */
function has(args: readonly Argument[], words: RegExp): boolean {
  return args.some(({ start, value = start }) => words.test(value))
}

/** Changes what is in the work tree or the repository; destroys, when one of its words says so. */
function changes(reason: string, destroys?: RegExp): Program {
  return (args, findings) => {
    const risk = destroys && has(args, destroys) ? 'destroy' : 'write'
    findings.add('ask', reason, { risk, needs: ['write'] })
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
  archive: changes('writes an archive'),
  bisect: changes('changes the work tree'),
  branch: changes('makes or changes a branch', /^(?:-[a-zA-Z]*[dDMCf]|--(?:delete|force))/),
  bundle: changes('writes a bundle'),
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
  commit: changes('makes a commit'),
  fetch: fetches,
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
  restore: asks('throws changes away', 'destroy', 'write'),
  revert: changes('makes commits'),
  rm: asks('deletes files', 'destroy', 'write'),
  'sparse-checkout': settings,
  stash: changes('changes the stash', /^(?:drop|clear)$/),
  submodule: asks('changes submodules', 'write', 'write', 'network', 'git-settings'),
  switch: changes('changes the work tree', /^(?:-[a-zA-Z]*[fC]|--(?:force|discard-changes))/),
  tag: changes('makes or changes a tag', /^(?:-[a-z]*[df]|--(?:delete|force))/),
  'update-index': changes('stages files'),
  'update-ref': asks('moves branches', 'destroy', 'write'),
  worktree: (args, findings) => {
    const risk = has(args, /^(?:remove|prune)$/) ? 'destroy' : 'write'
    findings.add('ask', 'changes work trees', { risk, needs: ['write', 'git-settings'] })
  },
  config: settings,
  remote: settings,
  reflog: asks('deletes entries', 'destroy', 'write'),
}
