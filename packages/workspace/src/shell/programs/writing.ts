import type { Argument } from '../argument.ts'
import { asks, unknown, type Program } from '../findings.ts'
import { tellsPackages } from './system.ts'
import { shown, type PathAccess } from '../path-rule.ts'
import type { Right } from '../rights.ts'
import type { CommandRisk } from '../verdict.ts'

/** Changes files: always asked about, and refused when one of them is out of bounds. */
function changes(
  what: string,
  risk: CommandRisk,
  accessOf: (index: number, count: number) => PathAccess,
): Program {
  return (args, findings) => {
    findings.add('ask', what, { risk, needs: ['write'] })
    const operands = operandsOf(args)
    operands.forEach((operand, index) => findings.path(operand, accessOf(index, operands.length)))
  }
}

const every = (): PathAccess => 'write'
const allButFirst = (index: number): PathAccess => (index === 0 ? 'list' : 'write')
const onlyLast = (index: number, count: number): PathAccess =>
  index === count - 1 ? 'write' : 'read'

function operandsOf(args: readonly Argument[]): Argument[] {
  const end = args.findIndex(({ value }) => value === '--')
  const isOption = ({ start }: Argument) => start.startsWith('-')
  if (end === -1) return args.filter((arg) => !isOption(arg))
  return [...args.slice(0, end).filter((arg) => !isOption(arg)), ...args.slice(end + 1)]
}

/** Files that options and operands of the form `of=file` name. */
const dd: Program = (args, findings) => {
  findings.add('ask', 'dd copies bytes', { risk: 'destroy', needs: ['write'] })
  for (const arg of args) {
    const [, name, path] = /^(if|of)=(.*)$/s.exec(arg.value ?? '') ?? []
    if (path === undefined) continue
    findings.path({ ...arg, value: path, start: path }, name === 'of' ? 'write' : 'read')
  }
}

/** Reaches out to other machines. */
function network(...needs: Right[]): Program {
  return (args, findings) => {
    const reason = `uses the network: ${shown(args.map(({ text }) => text).join(' '))}`
    findings.add('ask', reason, { needs: ['network', ...needs] })
  }
}

/** Options with which curl writes what it gets into files. */
const CURL_WRITES = /^(?:-[a-zA-Z]*[oOcDJ]|--(?:output|remote-name|cookie-jar|dump-header|trace))/

const curl: Program = (args, findings) => {
  const writes = args.some(({ start, value = start }) => CURL_WRITES.test(value))
  network(...(writes ? (['write'] as const) : []))(args, findings)
}

const interpreter = unknown('runs any program that it is given')

/** What package managers do that changes the project and uses the network. */
const INSTALLS =
  /^(?:i|in|install|ci|add|update|up|upgrade|remove|rm|un|uninstall|link|dedupe|publish|get|sync|fetch|pull|push)$/

const packages: Program = (args, findings) => {
  const [word] = args.filter(({ start }) => !start.startsWith('-'))
  if (word?.value !== undefined && INSTALLS.test(word.value)) {
    const needs = ['write', 'network'] as const
    findings.add('ask', `${word.value} changes packages`, { needs, risk: 'write' })
  } else interpreter(args, findings)
}

const INTERPRETERS =
  'python python2 python3 pypy pypy3 node nodejs deno bun ruby irb perl raku php lua luajit tclsh ' +
  'awk gawk mawk nawk java groovy scala kotlin julia Rscript ghci elixir erl swipl guile racket ' +
  'osascript pwsh powershell expect gdb lldb tsx ts-node ed ex vi vim nvim emacs'
const PACKAGE_MANAGERS =
  'npm npx pnpm pnpx yarn bunx corepack pip pip2 pip3 pipx uv uvx poetry conda mamba gem bundle ' +
  'bundler cargo rustup go composer mvn gradle sbt cabal stack nix nix-shell nix-env brew apt ' +
  'apt-get aptitude dpkg yum dnf rpm pacman zypper apk snap flatpak'
const RUNNERS =
  'make gmake cmake ninja just rake tox nox task ant bazel docker podman kubectl helm terraform ' +
  'ansible vagrant ssh'
const SHELLS = 'sh bash dash zsh ksh mksh ash fish csh tcsh rbash'
const WRAPPERS =
  'sudo doas su pkexec runuser env xargs parallel watch nohup nice ionice time timeout stdbuf ' +
  'setsid strace ltrace script flock chroot unshare nsenter busybox toybox command builtin exec ' +
  'eval source . trap find fd fdfind rg sed tar sort rsync zip less more man'

/**
 * Programs that run whatever they are told: a rule lets one of their commands through only as a
 * whole, never by its beginning.
 */
export const RUNS_ANYTHING: ReadonlySet<string> = new Set(
  [INTERPRETERS, PACKAGE_MANAGERS, RUNNERS, SHELLS, WRAPPERS].join(' ').split(' '),
)

const PACKAGE_MANAGER_NAMES: ReadonlySet<string> = new Set(PACKAGE_MANAGERS.split(' '))

function otherwise(name: string): Program {
  if (PACKAGE_MANAGER_NAMES.has(name)) return tellsPackages(name, packages)
  if (RUNS_ANYTHING.has(name)) return interpreter
  return asks('may write files', 'write', 'write')
}

/** Programs whose words may be a command that they run. */
export const RUNS_COMMANDS: ReadonlySet<string> = new Set(`${WRAPPERS} ${SHELLS}`.split(' '))

/** Asks for the version of a program, and nothing else. */
const versionOnly =
  (otherwise: Program): Program =>
  (args, findings) => {
    const isVersion =
      args.length === 1 && /^(?:--?version|-[vV]|version)$/.test(args[0]?.value ?? '')
    if (!isVersion) otherwise(args, findings)
  }

// Others run what the project names, such as another version of themselves.
const TELL_VERSION =
  'node npm pnpm deno bun python3 python ruby php java go make cmake gradle ' +
  'docker kubectl terraform pip pip3 uv poetry gcc g++ clang tsc'

/** Programs that change something, reach out, or run others. */
export const WRITING: Readonly<Record<string, Program>> = {
  ...Object.fromEntries(
    `${INTERPRETERS} ${PACKAGE_MANAGERS} ${RUNNERS}`
      .split(' ')
      .map((name) => [name, otherwise(name)]),
  ),
  ...Object.fromEntries(
    TELL_VERSION.split(' ').map((name) => [name, versionOnly(otherwise(name))]),
  ),
  rm: changes('deletes files', 'destroy', every),
  rmdir: changes('deletes folders', 'write', every),
  unlink: changes('deletes a file', 'destroy', every),
  shred: changes('destroys files', 'destroy', every),
  truncate: changes('empties files', 'destroy', every),
  mkdir: changes('makes folders', 'write', every),
  touch: changes('makes or dates files', 'write', every),
  mkfifo: changes('makes a pipe', 'write', every),
  mv: changes('moves files', 'write', every),
  cp: changes('copies files', 'write', onlyLast),
  ln: changes('makes links', 'write', onlyLast),
  install: changes('copies files', 'write', onlyLast),
  chmod: changes('changes who may do what', 'write', allButFirst),
  chown: changes('changes owners', 'write', allButFirst),
  chgrp: changes('changes groups', 'write', allButFirst),
  dd,
  curl,
  wget: network('write'),
  nc: network(),
  ncat: network(),
  telnet: network(),
  ping: network(),
  dig: network(),
  nslookup: network(),
  host: network(),
  ftp: network('write'),
  rsync: network('write'),
  scp: network('write', 'credentials'),
  sftp: network('write', 'credentials'),
  ssh: network('credentials'),
  gh: network('credentials'),
  mkfs: asks('formats a disk', 'destroy', 'write'),
  wipefs: asks('wipes a disk', 'destroy', 'write'),
  fdisk: asks('changes the parts of a disk', 'destroy', 'write'),
  kill: asks('ends processes', 'write'),
  pkill: asks('ends processes', 'write'),
  killall: asks('ends processes', 'write'),
  shutdown: asks('ends the machine', 'destroy'),
  reboot: asks('ends the machine', 'destroy'),
}
