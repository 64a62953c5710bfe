import type { Program } from '../findings.ts'
import { byGrammar, paths } from '../grammar.ts'
import { shown } from '../path-rule.ts'
import { awk } from './awk.ts'
import { sed } from './sed.ts'

/** Only a list of what is in an archive, or what is in its files. */
const tar: Program = (args, findings) => {
  const [first, ...rest] = args
  // The old way, without a dash.
  const dashed =
    first?.value !== undefined && /^[a-zA-Z]+$/.test(first.value)
      ? [{ ...first, value: `-${first.value}`, start: '-' }, ...rest]
      : args
  // Before a colon it takes the name of another machine, to which it connects.
  const remote = args.find(({ start, value = start }) =>
    /^[^/]*:/.test(value.replace(/^--?\w*=?/, '')),
  )
  if (remote) {
    findings.add('ask', `connects to ${shown(remote.text)}`, { needs: ['network', 'credentials'] })
  }
  list(dashed, findings)
}

const list = byGrammar({
  options:
    '-tvzjJxO -f=read -C=list --list --extract --get --to-stdout --verbose --gzip --bzip2 --xz --file=read --directory=list --exclude= --wildcards',
  operands: (_names, findings, given) => {
    const isList = given.has('-t') || given.has('--list')
    const isShown = given.has('-O') || given.has('--to-stdout')
    if (!isList && !isShown) {
      findings.add('ask', 'tar packs or unpacks files', { needs: ['write'] })
    }
  },
})

const unzip = byGrammar({
  options: '-lvZ1pcq',
  operands: (operands, findings, given) => {
    if (!['-l', '-v', '-Z', '-p', '-c'].some((name) => given.has(name))) {
      findings.add('ask', 'unzip writes files', { needs: ['write'] })
    }
    paths('read')(operands.slice(0, 1), findings, given)
  },
})

/** Only what they unpack to their output, or tell of a file. */
const packs = byGrammar({
  options: '-cdltvqk0123456789 --stdout --to-stdout --decompress --list --test --verbose --quiet',
  operands: (operands, findings, given) => {
    const isShown = ['-c', '-l', '-t', '--stdout', '--to-stdout', '--list', '--test']
    if (!isShown.some((name) => given.has(name)) && operands.length > 0) {
      findings.add('ask', 'packs or unpacks a file', { needs: ['write'] })
    }
    for (const operand of operands) findings.path(operand, 'read')
  },
})

/** Programs that can change files, and do not with what is known of them here. */
export const EDITING: Readonly<Record<string, Program>> = {
  sed,
  awk,
  gawk: awk,
  mawk: awk,
  nawk: awk,
  gzip: packs,
  gunzip: packs,
  xz: packs,
  bzip2: packs,
  zstd: packs,
  tar,
  unzip,
  zipinfo: byGrammar({
    options: '-1lsmvhtz',
    operands: ([file], findings) => {
      if (file) findings.path(file, 'read')
    },
  }),
}
