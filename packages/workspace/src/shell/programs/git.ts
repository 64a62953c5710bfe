import { HERE, type Argument } from '../argument.ts'
import type { Findings, Program } from '../findings.ts'
import { byGrammar, nothing, type Operands } from '../grammar.ts'
import { shown } from '../path-rule.ts'

/** A revision or a path: what a revision holds has a path behind its colons. */
const revisions: Operands = (operands, findings) => {
  for (const operand of operands) {
    findings.path(operand, 'read')
    const { value } = operand
    if (value === undefined || !value.includes(':')) continue
    // `HEAD:path`, and `:0:path`.
    for (const at of [value.indexOf(':'), value.lastIndexOf(':')]) {
      const path = value.slice(at + 1)
      findings.path({ ...operand, value: path || '.', start: path }, 'read')
    }
  }
}

/** Two paths may be compared that are not in the repository, with all that is below them. */
const compared: Operands = (operands, findings, given) => {
  revisions(operands, findings, given)
  if (operands.length < 2 && !given.has('--no-index')) return
  for (const operand of operands) findings.path(operand, 'tree')
}

const names: Operands = (operands, findings) => {
  for (const operand of operands) findings.path(operand, 'list')
}

const PRETTY =
  '--oneline --graph --decorate? --no-decorate --abbrev-commit --abbrev? --no-abbrev-commit ' +
  '--pretty? --format= --date= --relative-date --color? --no-color --no-pager'
const DIFF =
  '-puUwbaRzMCBDW -U? -S= -G= --patch --no-patch --stat? --shortstat --numstat --dirstat? ' +
  '--summary --name-only --name-status --check --cached --staged --raw --minimal --patience ' +
  '--histogram --word-diff? --word-diff-regex= --color-words? --unified= --ignore-all-space ' +
  '--ignore-space-change --ignore-blank-lines --ignore-space-at-eol --diff-filter= --exit-code ' +
  '--quiet --no-renames --find-renames? --find-copies? --no-ext-diff --no-textconv --merge-base ' +
  '--relative? --text --full-index --binary --inter-hunk-context= --function-context --no-prefix ' +
  '--submodule? --compact-summary --diff-algorithm= -s --no-index '
const HISTORY =
  '-n= -L= --max-count= --skip= --since= --after= --until= --before= --author= --committer= ' +
  '--grep= --all-match --invert-grep -i -E -F -P --merges --no-merges --first-parent --all ' +
  '--branches? --tags? --remotes? --not --reverse --follow --date-order --topo-order ' +
  '--author-date-order --left-right --cherry-pick --cherry-mark --boundary --ancestry-path ' +
  '--simplify-by-decoration --full-history --source --reflog --walk-reflogs -g ' +
  '--parents --children --count --show-pulls --no-walk? --use-mailmap --notes? --no-notes '

function reading(options: string, operands: Operands = revisions): Program {
  return byGrammar({ options, operands, hasNumbers: true })
}

/** Without an operand it lists; with one it makes something, unless an option says otherwise. */
function listing(options: string, lists: readonly string[]): Program {
  return byGrammar({
    options,
    operands: (operands, findings, given) => {
      if (operands.length > 0 && !lists.some((name) => given.has(name))) {
        findings.add('ask', `makes or changes ${shown(operands[0]?.text ?? '')}`)
      }
    },
  })
}

/** The first word says what is done. */
function words(known: Readonly<Record<string, Program>>): Program {
  return ([first, ...rest], findings) => {
    const program =
      first?.value !== undefined && Object.hasOwn(known, first.value) && known[first.value]
    if (program) program(rest, findings)
    else
      findings.add('ask', `git with ${shown(first?.text ?? 'nothing')} is not known to only read`)
  }
}

const LISTS = ['--list', '--contains', '--no-contains', '--merged', '--no-merged', '--points-at']

const COMMANDS: Readonly<Record<string, Program>> = {
  status: reading(
    '-sbuvz --short --branch --porcelain? --long --untracked-files? --ignored? --show-stash --ahead-behind --no-renames --column?',
    names,
  ),
  log: reading(DIFF + HISTORY + PRETTY),
  show: reading(DIFF + HISTORY + PRETTY),
  diff: reading(DIFF + PRETTY, compared),
  shortlog: reading(`${HISTORY} -sne`),
  blame: reading(
    '-lstfewMCbp -L= --porcelain --line-porcelain --show-email --show-name --date= --since= --first-parent --color-lines --abbrev=',
  ),
  whatchanged: reading(DIFF + HISTORY + PRETTY),
  'rev-parse': reading(
    '--abbrev-ref? --short? --show-toplevel --git-dir --is-inside-work-tree --verify --quiet -q --show-prefix --symbolic-full-name --is-bare-repository --absolute-git-dir --show-cdup --git-common-dir',
  ),
  'rev-list': reading(HISTORY + PRETTY + '--objects --disk-usage'),
  'ls-files': reading(
    '-cdmoiksutvz --cached --deleted --modified --others --ignored --stage --unmerged --exclude-standard --full-name --error-unmatch --eol --deduplicate',
    names,
  ),
  'ls-tree': reading(
    '-rdtlz --name-only --name-status --full-tree --full-name --abbrev? --long',
    names,
  ),
  'cat-file': reading('-petsz'),
  'name-rev': reading('--name-only --tags --always'),
  'merge-base': reading('-a --all --octopus --is-ancestor --fork-point'),
  describe: reading(
    '--tags --always --dirty? --all --long --abbrev= --match= --exclude= --contains --exact-match --first-parent',
  ),
  'for-each-ref': reading(
    '--count= --sort= --format= --points-at= --merged? --no-merged? --contains? --no-contains?',
    names,
  ),
  'show-ref': reading('-sdq --head --heads --tags --verify --hash? --dereference', names),
  'count-objects': reading('-vH --verbose --human-readable', nothing),
  'diff-tree': reading(`-rtvm --root --no-commit-id --stdin ${DIFF}${PRETTY}`),
  'check-ignore': reading('-vqnz --verbose --quiet --no-index', names),
  cherry: reading('-v'),
  grep: byGrammar({
    options:
      '-nilLcwvEFGPqhHWpzo -A= -B= -C= -e= --line-number --ignore-case --files-with-matches --count --word-regexp --cached --break --heading --show-function --max-depth= --and --or --not --all-match --extended-regexp --fixed-strings --only-matching --name-only --perl-regexp',
    operands: (operands, findings, given) => {
      revisions(given.has('-e') ? operands : operands.slice(1), findings, given)
      findings.path(HERE, 'visible-tree')
    },
    hasNumbers: true,
  }),
  branch: listing(
    '-avrl --all --verbose --remotes --list --show-current --contains? --no-contains? --merged? --no-merged? --sort= --format= --points-at= --column? --color? --no-color --no-column -i',
    LISTS,
  ),
  tag: listing(
    '-l -n? --list --sort= --format= --contains? --merged? --no-merged? --points-at= --column? --color?',
    ['-l', ...LISTS],
  ),
  remote: (args, findings) => {
    const [first, ...rest] = args
    if (first?.value === 'get-url') reading('--push --all', names)(rest, findings)
    else listing('-v --verbose', [])(args, findings)
  },
  stash: words({ list: reading(HISTORY + PRETTY), show: reading(DIFF + PRETTY) }),
  reflog: (args, findings) => {
    const [first, ...rest] = args
    const isWord = first !== undefined && !first.start.startsWith('-')
    if (isWord && first.value !== 'show') findings.add('ask', 'git reflog may delete entries')
    reading(HISTORY + PRETTY)(isWord ? rest : args, findings)
  },
  worktree: words({ list: reading('-v --porcelain -z', nothing) }),
  config: byGrammar({
    options:
      '--get --local --global --system --worktree --show-origin --show-scope --type= --default= --bool --int --path',
    operands: (operands, findings, given) => {
      // All of it may hold addresses with passwords in them.
      if (!given.has('--get') || operands.length !== 1 || operands[0]?.value === undefined) {
        findings.add('ask', 'git config may change settings or show secrets')
      } else if (/token|password|url|helper|extraheader|secret/i.test(operands[0].value)) {
        findings.add('ask', 'the setting may hold a secret')
      }
    },
  }),
  version: reading('', nothing),
}

/** Git: what only reads the repository does not ask; what can run a program or write a file does. */
export const git: Program = (args, findings) => {
  const rest = [...args]
  for (let word = rest.shift(); word; word = rest.shift()) {
    const { value } = word
    if (value === '--version' || value === '-v') return
    if (value === '-C') {
      if (!enter(rest.shift(), findings)) return
    } else if (
      value === undefined ||
      (value.startsWith('-') &&
        !/^(?:--no-pager|-P|--no-optional-locks|--literal-pathspecs)$/.test(value))
    ) {
      findings.add('ask', `git with ${shown(word.text)} may run another program`)
      return
    } else if (!value.startsWith('-')) {
      words(COMMANDS)([word, ...rest], findings)
      findings.path(HERE, 'repository')
      return
    }
  }
}

function enter(folder: Argument | undefined, findings: Findings): boolean {
  if (folder) findings.enter(folder)
  return folder !== undefined
}
