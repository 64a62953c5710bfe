import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { openSync, closeSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { createInterface } from 'node:readline'

/** Numbers of `inotify_init1` and `inotify_add_watch`. */
const CALLS: Readonly<Record<string, readonly [number, number]>> = {
  x64: [294, 254],
  arm64: [26, 27],
}

/** Asks the kernel for each opening of some files, whoever opens them and by whatever name. */
const WATCHER = `
$| = 1;
my ($init, $add, @paths) = @ARGV;
my $number = syscall($init + 0, 0);
open(my $events, "<&=", $number) or die "inotify: $!";
# IN_OPEN
for my $path (@paths) { syscall($add + 0, $number, "$path", 0x20) >= 0 or die "$path: $!" }
print "ready\\n";
while (sysread($events, my $bytes, 65536)) {
  for (my $at = 0; $at < length $bytes;) {
    my ($watch, undef, undef, $length) = unpack("iLLL", substr($bytes, $at, 16));
    print "$watch\\n";
    $at += 16 + $length;
  }
}`

/** Counts how often files are opened. */
export interface OpenWatch {
  /** All openings until now. */
  count(): Promise<number>
  close(): Promise<void>
}

/**
 * Watches from outside whether files are opened: a place where one of them is shown under another path counts,
 * too, as it is the same file. Needs Perl.
 *
 * @param folder for a file of its own
 */
export async function watchOpens(folder: string, paths: readonly string[]): Promise<OpenWatch> {
  const calls = CALLS[process.arch]
  if (!calls) throw new Error(`Nobody has looked up the calls of ${process.arch}.`)
  const mark = join(folder, 'opens-until-here')
  writeFileSync(mark, '')
  const child = spawn('perl', ['-e', WATCHER, ...calls.map(String), mark, ...paths], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]()
  const { value: first } = await lines.next()
  if (first !== 'ready') throw new Error('Openings cannot be watched here.')
  let opened = 0
  return {
    async count() {
      // Events come in their order: with the one of this opening all before it are there.
      closeSync(openSync(mark, 'r'))
      for (;;) {
        const { value, done } = await lines.next()
        if (done) throw new Error('The watch has ended.')
        if (value === '1') return opened
        opened += 1
      }
    },
    async close() {
      child.kill('SIGKILL')
      await once(child, 'exit')
    },
  }
}
