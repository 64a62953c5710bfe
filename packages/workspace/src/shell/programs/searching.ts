import { HERE, UNKNOWN, type Argument } from '../argument.ts'
import type { Findings, Program } from '../findings.ts'
import { byGrammar, type Given, type Operands } from '../grammar.ts'
import { namedByFind } from '../named-files.ts'
import { shown, type PathAccess } from '../path-rule.ts'

const GREP =
  '-abcEFGHhiIlLnoPqsTvwxyzUZ -e=any -f=read -m= -A= -B= -C= -r ' +
  '--extended-regexp --fixed-strings --basic-regexp --perl-regexp --regexp= --file=read ' +
  '--ignore-case --no-ignore-case --invert-match --word-regexp --line-regexp --count --color? ' +
  '--colour? --files-without-match --files-with-matches --max-count= --only-matching --quiet ' +
  '--silent --no-messages --byte-offset --with-filename --no-filename --line-number ' +
  '--after-context= --before-context= --context= --text --recursive --include= --exclude= ' +
  '--exclude-dir= --null --null-data --line-buffered'

const RG =
  '-aceFHhiIlnNopPqsSUvwx0 -A= -B= -C= -e=any -f=read -g= -j= -m= -M= -r= -t= -T= -u -d= ' +
  '--after-context= --before-context= --context= --color= --colors= --column --count ' +
  '--count-matches --files --files-with-matches --files-without-match --fixed-strings --glob= ' +
  '--iglob= --heading --no-heading --hidden --ignore-case --invert-match --json --line-number ' +
  '--no-line-number --line-regexp --max-columns= --max-count= --max-depth= --multiline ' +
  '--multiline-dotall --no-filename --no-ignore --no-ignore-vcs --no-messages --only-matching ' +
  '--pcre2 --pretty --quiet --regexp= --file=read --replace= --smart-case --case-sensitive ' +
  '--sort= --sortr= --stats --text --threads= --trim --type= --type-not= --type-list --vimgrep ' +
  '--with-filename --word-regexp --null --passthru --no-config --unrestricted --context-separator='

/** Everything below its folders is searched. */
function searches(accessBy: (given: Given) => PathAccess): Operands {
  return (operands, findings, given) => {
    const hasPattern = ['-e', '-f', '--regexp', '--file', '--files', '--type-list'].some((name) =>
      given.has(name),
    )
    const files = hasPattern ? operands : operands.slice(1)
    const access = accessBy(given)
    if (access !== 'read' && files.length === 0) findings.path(HERE, access)
    for (const file of files) findings.path(file, access)
  }
}

const grep = byGrammar({
  options: GREP,
  operands: searches((given) => (given.has('-r') || given.has('--recursive') ? 'tree' : 'read')),
  hasNumbers: true,
})

/** Options with which rg also searches what is hidden. */
const RG_HIDDEN = ['--hidden', '-u', '--unrestricted', '--no-ignore', '-g', '--glob', '--iglob']

const rg = byGrammar({
  options: RG,
  operands: (operands, findings, given) => {
    if (given.has('--files')) for (const operand of operands) findings.path(operand, 'list')
    else {
      const isAll = RG_HIDDEN.some((name) => given.has(name))
      searches(() => (isAll ? 'tree' : 'visible-tree'))(operands, findings, given)
    }
  },
})

const fd = byGrammar({
  options:
    '-HIusigFap0l1q -d= -t= -e= -E= -S= --hidden --no-ignore --case-sensitive --ignore-case ' +
    '--glob --fixed-strings --absolute-path --full-path --max-depth= --min-depth= --type= ' +
    '--extension= --exclude= --size= --changed-within= --changed-before= --color= --max-results=',
  operands: ([, ...folders], findings) => {
    for (const folder of folders) findings.path(folder, 'list')
  },
})

/** What find tests, by how many words follow it. */
const FIND_TESTS: ReadonlyMap<string, number> = new Map([
  ...['-o', '-or', '-a', '-and', '-not', '!', '(', ')', ',', '-depth', '-mount', '-xdev', '-print']
    .concat([
      '-print0',
      '-prune',
      '-quit',
      '-ls',
      '-true',
      '-false',
      '-empty',
      '-readable',
      '-daystart',
    ])
    .concat([
      '-writable',
      '-executable',
      '-nouser',
      '-nogroup',
      '-noleaf',
      '-ignore_readdir_race',
      '-d',
    ])
    .map((name): [string, number] => [name, 0]),
  ...[
    '-name',
    '-iname',
    '-path',
    '-ipath',
    '-wholename',
    '-iwholename',
    '-regex',
    '-iregex',
    '-type',
  ]
    .concat([
      '-xtype',
      '-size',
      '-mtime',
      '-mmin',
      '-atime',
      '-amin',
      '-ctime',
      '-cmin',
      '-maxdepth',
    ])
    .concat(['-mindepth', '-perm', '-user', '-group', '-uid', '-gid', '-links', '-inum', '-lname'])
    .concat(['-ilname', '-printf', '-regextype', '-fstype', '-newermt', '-used'])
    .map((name): [string, number] => [name, 1]),
])

const find: Program = (args, findings) => {
  const words = [...args]
  // With -L it goes into folders outside, where links lead there.
  while (/^-[HP]$/.test(words[0]?.value ?? '')) words.shift()
  let folders = 0
  for (let word = words[0]; word && isFolder(word); word = words[0]) {
    findings.path(word, 'list')
    words.shift()
    folders++
  }
  if (folders === 0) findings.path(HERE, 'list')
  // Each of them is one word, whatever it holds.
  const { isSplit: _, ...found } = namedByFind(args) ?? UNKNOWN
  for (let word = words.shift(); word; word = words.shift()) {
    readTest(word, words, findings, found)
  }
}

/** What comes before the tests. A word that is not known is none, so it is asked about. */
function isFolder({ value, start }: Argument): boolean {
  return value === undefined ? /^[^-(!,]/.test(start) : !/^(?:-|[(!,]|\)$)/.test(value)
}

function readTest(
  { text, value = '' }: Argument,
  rest: Argument[],
  findings: Findings,
  found: Argument,
): void {
  if (/^-newer(?:[aBcm][aBcm])?$/.test(value) && rest[0])
    return findings.path(rest.shift() ?? HERE, 'list')
  if (value === '-delete') {
    return findings.add('ask', 'deletes what it finds', { risk: 'destroy', needs: ['write'] })
  }
  if (/^-(?:exec|ok)(?:dir)?$/.test(value)) return readCommand(rest, findings, found)
  if (/^-f(?:print0?|printf|ls)$/.test(value))
    return findings.path(rest.shift() ?? UNKNOWN, 'write')
  const count = FIND_TESTS.get(value)
  if (count === undefined) {
    findings.unknown(`find with ${shown(text)} is not known to be harmless`)
    return
  }
  for (const operand of rest.splice(0, count)) {
    // The shell would put what matches in its place.
    if (operand.value === undefined && !operand.isOne) {
      findings.unknown(`what ${shown(operand.text)} stands for is not known before it runs`)
    }
  }
}

/** The command that find runs with the paths that it found in the place of `{}`. */
function readCommand(rest: Argument[], findings: Findings, found: Argument): void {
  const end = rest.findIndex(
    ({ value }, index) => value === ';' || (value === '+' && rest[index - 1]?.value === '{}'),
  )
  const words = rest.splice(0, end === -1 ? rest.length : end + 1)
  if (end !== -1) words.pop()
  findings.command(
    words.map((word) => {
      if (word.value === '{}') return found
      return word.value?.includes('{}') === false ? word : UNKNOWN
    }),
  )
}

/** Programs that look for something in files and folders. */
export const SEARCHING: Readonly<Record<string, Program>> = {
  grep,
  egrep: grep,
  fgrep: grep,
  zgrep: grep,
  rg,
  fd,
  fdfind: fd,
  find,
}
