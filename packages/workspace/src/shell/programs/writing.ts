import type { Argument } from '../argument.ts'
import { asks, type Program } from '../findings.ts'
import { shown, type PathAccess } from '../path-rule.ts'

/** Changes files: always asked about, and refused when one of them is out of bounds. */
function changes(what: string, accessOf: (index: number, count: number) => PathAccess): Program {
  return (args, findings) => {
    findings.add('ask', what)
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
  findings.add('ask', 'dd copies bytes')
  for (const arg of args) {
    const [, name, path] = /^(if|of)=(.*)$/s.exec(arg.value ?? '') ?? []
    if (path === undefined) continue
    findings.path({ ...arg, value: path, start: path }, name === 'of' ? 'write' : 'read')
  }
}

const curl: Program = (args, findings) => {
  findings.add('ask', `uses the network: ${shown(args.map(({ text }) => text).join(' '))}`)
}

const interpreter = asks('runs any program that it is given')

const INTERPRETERS =
  'python python2 python3 pypy pypy3 node nodejs deno bun ruby irb perl raku php lua luajit tclsh ' +
  'awk gawk mawk nawk java groovy scala kotlin julia Rscript ghci elixir erl swipl guile racket ' +
  'osascript pwsh powershell expect gdb lldb tsx ts-node ed ex vi vim nvim emacs'
const PACKAGE_MANAGERS =
  'npm npx pnpm pnpx yarn bunx corepack pip pip2 pip3 pipx uv uvx poetry conda mamba gem bundle ' +
  'bundler cargo rustup go composer mvn gradle sbt cabal stack nix nix-shell nix-env brew apt ' +
  'apt-get aptitude dpkg yum dnf rpm pacman zypper apk snap flatpak make gmake cmake ninja just ' +
  'rake tox nox task ant bazel docker podman kubectl helm terraform ansible vagrant ssh'
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
  [INTERPRETERS, PACKAGE_MANAGERS, SHELLS, WRAPPERS].join(' ').split(' '),
)

/** Asks for the version of a program, and nothing else. */
const versionOnly =
  (otherwise: Program): Program =>
  (args, findings) => {
    const isVersion =
      args.length === 1 && /^(?:--version|-[vV]|version)$/.test(args[0]?.value ?? '')
    if (!isVersion) otherwise(args, findings)
  }

const TELL_VERSION =
  'node npm pnpm yarn deno bun python3 python ruby php java cargo rustc rustup go make cmake gradle ' +
  'mvn docker kubectl terraform pip pip3 uv poetry gcc g++ clang tsc'

/** Programs that change something, reach out, or run others. */
export const WRITING: Readonly<Record<string, Program>> = {
  ...Object.fromEntries(
    `${INTERPRETERS} ${PACKAGE_MANAGERS}`.split(' ').map((name) => [name, interpreter]),
  ),
  ...Object.fromEntries(
    TELL_VERSION.split(' ').map((name) => [
      name,
      versionOnly(
        asks(RUNS_ANYTHING.has(name) ? 'runs any program that it is given' : 'may write files'),
      ),
    ]),
  ),
  rm: changes('deletes files', every),
  rmdir: changes('deletes folders', every),
  unlink: changes('deletes a file', every),
  shred: changes('destroys files', every),
  truncate: changes('empties files', every),
  mkdir: changes('makes folders', every),
  touch: changes('makes or dates files', every),
  mkfifo: changes('makes a pipe', every),
  tee: changes('writes files', every),
  mv: changes('moves files', every),
  cp: changes('copies files', onlyLast),
  ln: changes('makes links', onlyLast),
  install: changes('copies files', onlyLast),
  chmod: changes('changes who may do what', allButFirst),
  chown: changes('changes owners', allButFirst),
  chgrp: changes('changes groups', allButFirst),
  dd,
  curl,
  wget: curl,
  nc: curl,
  rsync: curl,
  scp: curl,
  sftp: curl,
  mkfs: asks('formats a disk'),
  kill: asks('ends processes'),
  pkill: asks('ends processes'),
  killall: asks('ends processes'),
}
