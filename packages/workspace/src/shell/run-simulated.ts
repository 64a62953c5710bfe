import type { RunRequest, RunResult } from './run-system.ts'

/** A folder that the simulated shell sees, at its own path. */
export interface MountedFolder {
  readonly path: string
  readonly access: 'read' | 'write'
}

/**
 * Runs a command in a shell that is simulated in this process, over folders of the disk: it starts no
 * process, has no network, follows no link, and sees nothing else of the machine.
 */
export async function runSimulated(
  request: Pick<RunRequest, 'command' | 'cwd' | 'timeoutMs' | 'signal' | 'onOutput'>,
  folders: readonly MountedFolder[],
  maxFileBytes: number,
): Promise<RunResult> {
  const { command, cwd, timeoutMs, signal, onOutput } = request
  if (signal?.aborted) return { exitCode: null, signal: null, ended: 'aborted' }
  const { Bash, InMemoryFs, MountableFs, OverlayFs, ReadWriteFs } = await import('just-bash')
  const mounts = folders.map(({ path, access }) => ({
    mountPoint: path,
    filesystem:
      access === 'write'
        ? new ReadWriteFs({ root: path, maxFileReadSize: maxFileBytes })
        : new OverlayFs({ root: path, mountPoint: '/', readOnly: true }),
  }))
  const shell = new Bash({ fs: new MountableFs({ base: new InMemoryFs(), mounts }), cwd })
  const timeout = AbortSignal.timeout(timeoutMs)
  const stop = signal ? AbortSignal.any([signal, timeout]) : timeout
  const { promise: stopped, resolve } = Promise.withResolvers<undefined>()
  const settle = () => resolve(undefined)
  stop.addEventListener('abort', settle, { once: true })
  try {
    const result = await Promise.race([shell.exec(command, { cwd, signal: stop }), stopped])
    if (stop.aborted || !result) {
      return { exitCode: null, signal: null, ended: timeout.aborted ? 'timeout' : 'aborted' }
    }
    onOutput(result.stdout)
    onOutput(result.stderr)
    return { exitCode: result.exitCode, signal: null, ended: 'exited' }
  } finally {
    stop.removeEventListener('abort', settle)
  }
}
