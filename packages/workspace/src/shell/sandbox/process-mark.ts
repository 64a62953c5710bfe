import { readFileSync, readlinkSync } from 'node:fs'

/** Tells a process from a later one that gets its number: the number, its namespace, and when it started. */
export type ProcessMark = `${number}-${number}-${number}`

/** The mark of this process. Without `/proc` it is the number alone. */
export function ownMark(): ProcessMark {
  return `${process.pid}-${ownNamespace()}-${startOf(process.pid) ?? 0}`
}

/** Whether that very process runs; `elsewhere` for one whose number means nothing here. */
export function stateOf(mark: ProcessMark): 'running' | 'ended' | 'elsewhere' {
  const [pid = 0, namespace, start = 0] = mark.split('-').map(Number)
  if (namespace !== ownNamespace()) return 'elsewhere'
  if (start !== 0) return startOf(pid) === start ? 'running' : 'ended'
  try {
    process.kill(pid, 0)
    return 'running'
  } catch {
    return 'ended'
  }
}

/** Whether a text is a mark. */
export function isMark(text: string): text is ProcessMark {
  return /^\d+-\d+-\d+$/.test(text)
}

/** When a process started, in ticks since the machine did; none of one that is not there or has ended. */
function startOf(pid: number): number | undefined {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, 'latin1')
    // Its name, in brackets, may hold anything.
    const fields = text.slice(text.lastIndexOf(')') + 2).split(' ')
    return /^[ZX]/.test(fields[0] ?? '') ? undefined : Number(fields[19])
  } catch {
    return undefined
  }
}

function ownNamespace(): number {
  try {
    return Number(/\d+/.exec(readlinkSync('/proc/self/ns/pid'))?.[0] ?? 0)
  } catch {
    return 0
  }
}
