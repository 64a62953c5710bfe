import { HERE } from '../argument.ts'
import type { Findings, Program } from '../findings.ts'
import { GIT_CHANGES } from './git-changes.ts'
import { anything, byGrammar, nothing, type Operands } from '../grammar.ts'
import { shown } from '../path-rule.ts'

/** A revision or a path: what a revision holds has a path behind its colons. */
const revisions: Operands = (operands, findings) => {
  for (const operand of operands) findings.revision(operand)
}

/** Options with which Git shows no more of files than their names and sizes. */
const NAMES_ONLY =
  '--stat --shortstat --numstat --dirstat --summary --name-only -s --name-status --raw --quiet --no-patch --compact-summary'.split(
    ' ',
  )
const PATCH =
  '-p -u -U --patch --unified -L -W --function-context --binary --word-diff --word-diff-regex --color-words --check --text -a'.split(
    ' ',
  )

/** What a revision or the index holds, by its name; the colon of `HEAD@{10:00}` is none of these. */
const NAMED = /^(?::\d:|[^{}:]+:)./

/** What is in the files that Git keeps, unless only some are named that were judged by themselves. */
function contents(isDefault: boolean): Operands {
  return (operands, findings, given) => {
    revisions(operands, findings, given)
    const isPatch = PATCH.some((name) => given.has(name))
    const isShown = isPatch || (isDefault && !NAMES_ONLY.some((name) => given.has(name)))
    // What stands behind `--` may be a folder, with all that it ever held.
    const isNamed = operands.length > 0 && operands.every(({ value }) => NAMED.test(value ?? ''))
    if (isShown && !isNamed) findings.path(HERE, 'history')
  }
}

/** Two paths may be compared that are not in the repository, with all that is below them. */
const compared: Operands = (operands, findings, given) => {
  contents(true)(operands, findings, given)
  // What two revisions hold may be folders.
  if (operands.length > 1 && operands.some(({ value }) => NAMED.test(value ?? ''))) {
    findings.path(HERE, 'history')
  }
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
  '-n= -L=revision --max-count= --skip= --since= --after= --until= --before= --author= --committer= ' +
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
        findings.unknown(`makes or changes ${shown(operands[0]?.text ?? '')}`)
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
    else findings.unknown(`git with ${shown(first?.text ?? 'nothing')} is not known to only read`)
  }
}

const LISTS = ['--list', '--contains', '--no-contains', '--merged', '--no-merged', '--points-at']

/** What Git only reads. */
const READS: Readonly<Record<string, Program>> = {
  status: reading(
    '-sbuvz --short --branch --porcelain? --long --untracked-files? --ignored? --show-stash --ahead-behind --no-renames --column?',
    (operands, findings, given) => {
      names(operands, findings, given)
      // Twice, it shows what is staged.
      if (given.has('-v')) findings.path(HERE, 'history')
    },
  ),
  log: reading(DIFF + HISTORY + PRETTY, contents(false)),
  show: reading(DIFF + HISTORY + PRETTY, contents(true)),
  diff: reading(DIFF + PRETTY, compared),
  shortlog: reading(`${HISTORY} -sne`),
  blame: reading(
    '-lstfewMCbp -L=revision --porcelain --line-porcelain --show-email --show-name --date= --since= --first-parent --color-lines --abbrev=',
  ),
  whatchanged: reading(DIFF + HISTORY + PRETTY, contents(false)),
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
  'cat-file': reading('-petsz', contents(true)),
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
  'diff-tree': reading(`-rtvm --root --no-commit-id --stdin ${DIFF}${PRETTY}`, contents(false)),
  'check-ignore': reading('-vqnz --verbose --quiet --no-index', names),
  cherry: reading('-v'),
  grep: byGrammar({
    options:
      '-nilLcwvEFGPqhHWpzo -A= -B= -C= -e= --line-number --ignore-case --files-with-matches --count --word-regexp --cached --break --heading --show-function --max-depth= --and --or --not --all-match --extended-regexp --fixed-strings --only-matching --name-only --perl-regexp',
    operands: (operands, findings, given) => {
      revisions(given.has('-e') ? operands : operands.slice(1), findings, given)
      findings.path(HERE, 'history')
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
  // An address may hold a password: it is masked in what is shown, like any other secret.
  remote: (args, findings) => {
    const [first, ...rest] = args
    if (first?.value === 'get-url') reading('--push --all', names)(rest, findings)
    else listing('-v --verbose', [])(args, findings)
  },
  stash: words({
    list: reading(HISTORY + PRETTY, contents(false)),
    show: reading(DIFF + PRETTY, contents(false)),
  }),
  reflog: (args, findings) => {
    const [first, ...rest] = args
    const isWord = first !== undefined && !first.start.startsWith('-')
    if (isWord && first.value !== 'show') findings.unknown('git reflog may delete entries')
    reading(HISTORY + PRETTY, contents(false))(isWord ? rest : args, findings)
  },
  'show-branch': reading('-a --all --list --current'),
  submodule: words({ status: reading('--recursive --cached', names) }),
  var: byGrammar({ options: '', operands: anything }),
  worktree: words({ list: reading('-v --porcelain -z', nothing) }),
  config: byGrammar({
    options:
      '--get --local --global --system --worktree --show-origin --show-scope --type= --default= --bool --int --path',
    operands: (operands, findings, given) => {
      const isRead = given.has('--get') || given.size === 0
      // All of it may hold addresses with passwords in them.
      if (!isRead || operands.length !== 1 || operands[0]?.value === undefined) {
        findings.unknown('git config may change settings or show secrets')
      } else if (/token|password|url|helper|extraheader|secret/i.test(operands[0].value)) {
        findings.path({ ...HERE, value: '.git/config' }, 'read')
      }
    },
  }),
  version: reading('', nothing),
}

/** Options before the word that says what is done, which do nothing but keep Git quiet. */
const QUIET = /^(?:--no-pager|-P|--no-optional-locks|--literal-pathspecs)$/
/** Options before that word whose value is a word of its own. */
const VALUED =
  /^(?:-c|--config-env|--git-dir|--work-tree|--namespace|--super-prefix|--attr-source)$/

/** The arguments of Git from the word on that says what is done. */
export function gitWords<WORD extends { readonly value?: string }>(args: readonly WORD[]): WORD[] {
  let at = 0
  for (let value = args[at]?.value; value?.startsWith('-'); value = args[at]?.value) {
    at += value === '-C' || VALUED.test(value) ? 2 : 1
  }
  return args.slice(at)
}

/** Git: what only reads the repository does not ask; what can run a program or write a file does. */
export const git: Program = (args, said) => {
  // What is not known may show any file that Git keeps.
  const findings: Findings = {
    ...said,
    unknown(reason) {
      said.unknown(reason)
      said.path(HERE, 'history')
    },
  }
  const words = gitWords(args)
  const before = args.slice(0, args.length - words.length)
  for (let word = before.shift(); word; word = before.shift()) {
    const { value = '' } = word
    if (value === '--version' || value === '-v') return
    if (value === '-C') {
      const folder = before.shift()
      if (!folder) return
      findings.enter(folder)
    } else if (!QUIET.test(value)) {
      findings.unknown(`git with ${shown(word.text)} may run another program`)
      if (VALUED.test(value)) before.shift()
    }
  }
  const [word, ...rest] = words
  if (!word) return
  const name = word.value ?? ''
  const reads = Object.hasOwn(READS, name) ? READS[name] : undefined
  const changes = Object.hasOwn(GIT_CHANGES, name) ? GIT_CHANGES[name] : undefined
  if (reads && changes) firstThatKnows(reads, changes)(rest, findings)
  else if (reads ?? changes) (reads ?? changes)?.(rest, findings)
  else findings.unknown(`git with ${shown(word.text)} is not known to only read`)
  findings.path(HERE, 'repository')
}

/** Judges by the first program; by the second, when there is something that the first does not know. */
function firstThatKnows(first: Program, second: Program): Program {
  return (args, findings) => {
    const calls: (() => void)[] = []
    let isKnown = true
    first(args, {
      ...findings,
      add: (...said) => calls.push(() => findings.add(...said)),
      path: (...said) => calls.push(() => findings.path(...said)),
      revision: (...said) => calls.push(() => findings.revision(...said)),
      unknown: () => (isKnown = false),
    })
    if (isKnown) for (const call of calls) call()
    else second(args, findings)
  }
}
