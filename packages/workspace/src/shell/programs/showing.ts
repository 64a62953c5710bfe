import { HERE } from '../argument.ts'
import type { Program } from '../findings.ts'
import { harmless } from '../findings.ts'
import { anything, byGrammar, nothing, paths } from '../grammar.ts'

/** Reads files and writes to its output only, whatever option it has. */
function reads(options: string, hasNumbers = false): Program {
  return byGrammar({ options, operands: paths('read'), isPlain: true, hasNumbers })
}

/** Tells of files, but not what is in them, whatever option it has. */
function lists(options: string): Program {
  return byGrammar({ options, operands: paths('list'), isPlain: true })
}

function says(options: string, operands = anything): Program {
  return byGrammar({ options, operands })
}

const HASH = '-btz --binary --text --tag --zero -l= --length='

/** Programs that show something and change nothing. */
export const SHOWING: Readonly<Record<string, Program>> = {
  ':': harmless,
  true: harmless,
  false: harmless,
  echo: harmless,
  pwd: says('-LP', nothing),
  whoami: says('', nothing),
  hostname: says('-fsid', nothing),
  id: says('-ugGnr'),
  groups: says(''),
  uname: says('-asnrvmpio --all', nothing),
  arch: says('', nothing),
  nproc: says('--all', nothing),
  uptime: says('-ps', nothing),
  date: byGrammar({
    options:
      '-uR -d= --date= -I? --iso-8601? --utc --universal -r=list --reference=list --rfc-3339=',
    // Anything else would set the clock.
    operands: (operands, findings) => {
      const other = operands.find(({ start }) => !start.startsWith('+'))
      if (other) findings.add('ask', 'sets the clock', { risk: 'write' })
    },
  }),
  cal: says('-13my'),
  sleep: says(''),
  seq: says('-w -s= -f=', anything),
  basename: byGrammar({ options: '-a -s= -z', operands: anything, isPlain: true }),
  dirname: byGrammar({ options: '-z', operands: anything, isPlain: true }),
  which: says('-a'),
  type: says('-atpP'),
  tty: says('-s', nothing),
  printf: (args, findings) => {
    const [first] = args
    if (first && (first.value === undefined ? !/^[^-]/.test(first.start) : /^-./.test(first.value)))
      findings.unknown('printf may set a variable')
  },

  ls: byGrammar({
    isPlain: true,
    options:
      '-aAbBcCdFgGhHiklLmnNopqQrRsStuUvxXZ1 -I= -w= -T= --all --almost-all --color? --full-time --group-directories-first --human-readable --recursive --reverse --size --sort= --time= --time-style= --indicator-style= --classify? --inode --directory --hyperlink? --hide= --ignore=',
    operands: (operands, findings, given) => {
      const isDeep = given.has('-R') || given.has('--recursive')
      // It would list folders outside, where links lead there.
      const access = isDeep && given.has('-L') ? 'linked-tree' : 'list'
      for (const operand of operands) findings.path(operand, access)
      if (operands.length === 0 && access !== 'list') findings.path(HERE, access)
    },
  }),
  stat: lists('-fLt -c= --format= --printf= --terse --dereference'),
  du: lists(
    '-abchHklmsSx0 -d= -t= -B= --all --apparent-size --bytes --human-readable --max-depth= --summarize --total --threshold= --exclude= --one-file-system --si --time?',
  ),
  df: lists('-aahHiklPT -B= -t= -x= --human-readable --total --output?'),
  file: byGrammar({
    options: '-bhikLprsNv0 --brief --mime --mime-type --mime-encoding -F=',
    operands: paths('list'),
  }),
  realpath: lists('-eEmLPqsz --relative-to=list --relative-base=list'),
  readlink: lists('-feEmnqsvz'),
  tree: byGrammar({
    options:
      '-adfghipqrstuvxACDFJNQSUX -o=write -L= -I= -P= --noreport --dirsfirst --gitignore --prune --du --filesfirst --charset= --sort=',
    operands: paths('list'),
  }),
  wc: reads('-clLmw --bytes --chars --lines --words --max-line-length --total='),

  cat: reads('-AbeEnstTuv --number --number-nonblank --show-all --squeeze-blank'),
  head: reads('-qvz -n= -c= --lines= --bytes= --quiet --verbose', true),
  tail: reads('-qvz -n= -c= --lines= --bytes= --quiet --verbose', true),
  nl: reads('-p -b= -d= -f= -h= -i= -l= -n= -s= -v= -w='),
  tac: reads('-br -s='),
  rev: reads(''),
  cut: reads(
    '-snz -b= -c= -d= -f= --bytes= --characters= --delimiter= --fields= --complement --output-delimiter=',
  ),
  paste: reads('-sz -d='),
  fold: reads('-bs -w='),
  fmt: reads('-csu -w='),
  expand: reads('-i -t='),
  unexpand: reads('-a -t='),
  column: reads('-tnex -s= -o= -c= -N= -R= -H='),
  comm: reads('-123z --nocheck-order --total --output-delimiter='),
  join: reads('-i -1= -2= -a= -e= -j= -o= -t= -v= --header'),
  cmp: reads('-bls -n= -i='),
  diff: byGrammar({
    options:
      '-abBdeEiNnpqrstTuwyZ -U= -C= -W= -x= -I= --brief --unified? --context? --color? --side-by-side --recursive --new-file --ignore-all-space --ignore-space-change --ignore-blank-lines --ignore-case --report-identical-files --suppress-common-lines --width= --label= --exclude= --strip-trailing-cr --minimal --text --stat',
    // Of two folders it compares the files that are in both.
    operands: paths('linked-tree'),
  }),
  md5sum: reads(HASH),
  sha1sum: reads(HASH),
  sha224sum: reads(HASH),
  sha256sum: reads(HASH),
  sha384sum: reads(HASH),
  sha512sum: reads(HASH),
  b2sum: reads(HASH),
  cksum: reads(`${HASH} -a= --algorithm=`),
  base64: reads('-di -w= --decode --wrap='),
  base32: reads('-di -w= --decode --wrap='),
  od: reads('-abcdfiloxsv -A= -j= -N= -t= -w= -S='),
  hexdump: reads('-bcCdovx -n= -s='),
  // A second file would be written.
  xxd: byGrammar({ options: '-abceEgipu -l= -s= -c= -g=', operands: paths('read', 1) }),
  uniq: byGrammar({
    options: '-cdDiuz -f= -s= -w= --count --repeated --unique --ignore-case --all-repeated?',
    operands: paths('read', 1),
  }),
  strings: byGrammar({ options: '-aofw -n= -t= -e=', operands: paths('read'), hasNumbers: true }),
  tr: byGrammar({ options: '-cCdst', operands: anything }),
  sort: byGrammar({
    options:
      '-bdfghiMnRrVcCmsuz -o=write --output=write -k= -t= -S= --key= --field-separator= --reverse --unique --numeric-sort --human-numeric-sort --version-sort --ignore-case --stable --check? --parallel= --sort= --zero-terminated --merge',
    operands: paths('read'),
  }),
  shuf: byGrammar({
    options: '-erz -n= -i= --head-count= --echo --repeat',
    operands: paths('read'),
  }),
  numfmt: says('--to= --from= --suffix= --padding= --field= --format= --header? --grouping'),
  jq: byGrammar({
    options:
      '-acCejMnrsSR --raw-output --compact-output --sort-keys --slurp --null-input --exit-status --tab --indent= --raw-input --join-output --ascii-output --color-output --monochrome-output',
    operands: ([filter, ...files], findings) => {
      // The environment is read by `env` and `$ENV`, other files by modules.
      if (
        filter &&
        !/^(?!.*(?:\benv\b|\$ENV|\binclude\b|\bimport\b)).*$/s.test(filter.value ?? '$ENV')
      )
        findings.add('ask', 'the filter of jq reads more than its files', { risk: 'read' })
      for (const file of files) findings.path(file, 'read')
    },
  }),
}
