import { asks, type Program } from '../findings.ts'
import { anything, byGrammar, nothing, paths } from '../grammar.ts'
import { shown } from '../path-rule.ts'

const tells = (options: string, operands = nothing): Program => byGrammar({ options, operands })

/** `ps`: its old way, without a dash, shows the environment of processes with an `e`. */
const ps: Program = (args, findings) => {
  const rest = args.filter(({ value }) => !/^[aufxjlsTrw]+$/.test(value ?? ''))
  byGrammar({
    options:
      '-AaedfFjlMTHwxyL -p= -u= -U= -C= -t= -o=any --sort= --forest --no-headers --headers --pid= --ppid= --user=',
    operands: nothing,
  })(rest, findings)
}

/** Only some words of a program; the others run, change or load something. */
function onlyWords(known: Readonly<Record<string, string>>, otherwise: Program): Program {
  return (args, findings) => {
    const [word, ...rest] = args
    const options = known[word?.value ?? '']
    if (options === undefined || !Object.hasOwn(known, word?.value ?? '')) otherwise(args, findings)
    else byGrammar({ options, operands: anything })(rest, findings)
  }
}

const NPM_LIST = '-a -l --all --long --depth= --json --parseable --prod --dev --omit= --include='

/** What package managers tell without running anything of the project. */
export function tellsPackages(name: string, otherwise: Program): Program {
  if (name === 'npm') {
    return onlyWords(
      {
        ls: NPM_LIST,
        list: NPM_LIST,
        ll: NPM_LIST,
        explain: '--json',
        why: '--json',
        root: '',
        prefix: '',
      },
      otherwise,
    )
  }
  if (/^pip[23]?$/.test(name)) {
    return onlyWords(
      { list: '--format= --user', show: '-f --files', freeze: '--all --user' },
      otherwise,
    )
  }
  return otherwise
}

const unpacks = byGrammar({
  options: '-fkqv --force --keep --quiet --verbose',
  operands: paths('read'),
  isPlain: true,
})

/** Files, one after the other; a `+` begins a command of the pager. */
const pages = tells('', (operands, findings) => {
  for (const operand of operands) {
    if (!/^[^+]/.test(operand.start)) findings.unknown('the pager may run commands')
    findings.path(operand, 'read')
  }
})

/** Programs that tell of the machine, and small ones that compute. */
export const SYSTEM: Readonly<Record<string, Program>> = {
  ps,
  pgrep: tells('-aflnovwxc -u= -U= -P= -g= -t=', anything),
  free: tells('-bkmghtlw -s= -c= --mega --giga --human --total'),
  lscpu: tells('-aebcxyJ -p? -e? --json'),
  lsblk: tells('-abdfilmnoprstJO -o= --output= --json --all --fs', anything),
  who: tells('-abdHlmpqrstTuw'),
  w: tells('-hsfoi'),
  vmstat: tells('-afmsdDwt', anything),
  ss: tells('-tulnaeomipsxHr46 --tcp --udp --listening --numeric --processes', anything),
  netstat: tells('-tulnapreioscvW46 --tcp --udp --listening --numeric'),
  lsof: tells('-nPtalRUXO -i? -p= -u= -c= -s?', (operands, findings) => {
    for (const operand of operands) {
      if (!operand.start.startsWith(':')) findings.path(operand, 'list')
    }
  }),
  locale: tells('-amkc', anything),
  getconf: tells('-a', anything),
  whereis: tells('-bmsu', anything),
  expr: tells('', anything),
  bc: byGrammar({ options: '-lqsw --mathlib --quiet', operands: paths('read') }),
  yes: tells('', anything),
  ulimit: tells('-aHScdefilmnpqrstuvx'),
  umask: tells('-Sp'),
  times: tells(''),
  help: tells('-dms', anything),
  history: tells('', (operands, findings) => {
    const other = operands.find(({ value }) => !/^\d+$/.test(value ?? ''))
    if (other) findings.unknown(`${shown(other.text)} is not expected here`)
  }),
  top: (args, findings) => {
    // Without -b it waits for keys.
    if (args.some(({ value }) => /^-[a-zA-Z]*b/.test(value ?? ''))) {
      byGrammar({ options: '-bcHiS -n= -d= -o= -u= -p= -w?', operands: nothing })(args, findings)
    } else findings.unknown('waits for keys')
  },
  iconv: byGrammar({
    options: '-cls -f= -t= --from-code= --to-code= -o=write --output=write',
    operands: paths('read'),
  }),
  zcat: unpacks,
  xzcat: unpacks,
  bzcat: unpacks,
  zstdcat: unpacks,
  lz4cat: unpacks,
  // Without a terminal they only print.
  less: pages,
  more: pages,
  man: tells('', (operands, findings) => {
    const other = operands.find(({ value }) => !/^\w[\w.+-]*$/.test(value ?? ''))
    if (other) findings.unknown(`${shown(other.text)} is no name of a page`)
  }),
  tee: (args, findings) => {
    const isNothing = args.every(({ value }) => value === '/dev/null' || value === '-a')
    if (isNothing) return
    asks('writes files', 'write', 'write')(args, findings)
    for (const arg of args) if (!arg.start.startsWith('-')) findings.path(arg, 'write')
  },
}
