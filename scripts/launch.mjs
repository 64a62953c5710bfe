// Starts one of the workspace's programs on a machine that has nothing but Node and npm: installs
// what is missing, then hands over to the Node that the workspace brings along.
//
//   node scripts/launch.mjs <script> [arguments of the script]
//
// It runs before anything is installed and on whatever Node there is: plain JavaScript without
// dependencies, in words that an old Node still reads, so that it can say that it is too old.
import { spawn } from 'child_process'
import { readFileSync } from 'fs'
import { dirname, join } from 'path'
import { fileURLToPath } from 'url'

const PNPM = 'pnpm@12.21.0'
/** Milliseconds that a program which was told to stop has before it is killed. */
const GRACE = 10_000

const root = dirname(dirname(fileURLToPath(import.meta.url)))
const windows = process.platform === 'win32'
const bin = join(root, 'node_modules', '.bin')
const ownNode = join(root, 'node_modules', 'node', 'bin', windows ? 'node.exe' : 'node')

/** What is running now, as a function that passes a signal on to it. */
let passOn = () => {}
let stoppedBy

function stop(signal, number) {
  stoppedBy = number
  passOn(signal)
  setTimeout(() => passOn('SIGKILL'), GRACE).unref()
}

for (const [signal, number] of [
  ['SIGHUP', 1],
  ['SIGINT', 2],
  ['SIGTERM', 15],
]) {
  process.on(signal, () => stop(signal, number))
}

// npm passes SIGINT and SIGTERM on. When it ends in another way, a change of parent is all we see.
const parent = process.ppid
setInterval(() => {
  if (process.ppid !== parent && !stoppedBy) stop('SIGTERM', 15)
}, 500).unref()

function fail(...lines) {
  console.error('\n' + lines.join('\n') + '\n')
  process.exit(1)
}

/** Resolves to the exit code; `undefined` when there is no such program. */
function run(command, args, options) {
  return new Promise((resolve) => {
    if (stoppedBy) process.exit(128 + stoppedBy)
    const child = spawn(command, args, Object.assign({ cwd: root }, options))
    passOn = (signal) => {
      try {
        // A detached program leads a process group, which holds everything that it started.
        if (options.detached) process.kill(-child.pid, signal)
        else child.kill(signal)
      } catch {
        // It has ended by itself.
      }
    }
    child.on('error', () => resolve(undefined))
    child.on('exit', (code) => {
      if (stoppedBy) {
        // npx ends before what it started does.
        passOn('SIGKILL')
        process.exit(128 + stoppedBy)
      }
      passOn = () => {}
      resolve(code === null ? 1 : code)
    })
  })
}

function runPnpm(args, stdio) {
  return run('npx', ['-y', PNPM].concat(args), {
    stdio,
    shell: windows,
    detached: !windows,
    // Without a network npm would say nothing for more than a minute before it gives up.
    env: Object.assign(
      { npm_config_fetch_retries: '1', npm_config_fetch_retry_mintimeout: '1000' },
      process.env,
    ),
  })
}

async function install() {
  const code = await runPnpm(['install', '--prod=false'], ['ignore', 'inherit', 'inherit'])
  if (code === 0) return
  if (code === undefined) {
    fail('Assent needs npm, which comes with Node, but `npx` was not found on the PATH.')
  }
  if ((await runPnpm(['--version'], 'ignore')) !== 0) {
    fail(
      'Assent could not fetch its package manager with `npx -y ' + PNPM + '`.',
      'The first run needs the network. If this machine has one, npm cannot reach its registry:',
      'see `npm config get registry`, and `npm config set proxy …` behind a proxy.',
    )
  }
  fail(
    '`npx -y ' + PNPM + ' install` failed; its words are above.',
    'The first run needs the network and about 1 GB of disk. Nothing is lost: run the command again.',
  )
}

function numbersIn(version) {
  return version.match(/\d+/g).map(Number)
}

async function main() {
  const oldest = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')).engines.node
  const [major, minor] = numbersIn(process.versions.node)
  const [oldestMajor, oldestMinor] = numbersIn(oldest)
  if (major < oldestMajor || (major === oldestMajor && minor < oldestMinor)) {
    fail(
      `Assent needs Node ${oldestMajor}.${oldestMinor} or newer to set itself up.`,
      `This is Node ${process.versions.node}: get a current one from https://nodejs.org, then try again.`,
    )
  }
  await install()
  const [script, ...args] = process.argv.slice(2)
  process.env.PATH = [bin, process.env.PATH].join(windows ? ';' : ':')
  const code = await run(ownNode, [join(root, script), ...args], { stdio: 'inherit' })
  if (code === undefined) fail(`${ownNode} does not start: remove node_modules and try again.`)
  process.exit(code)
}

main()
