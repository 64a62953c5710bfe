import { assentMetadata, isToolCallPart, toolCallStatus } from '@assent/engine'
import type { MessagePart, ToolCallPart } from '@assent/engine'

/** Done calls that follow each other and are told in one line. */
export interface ToolGroup {
  /** The same while calls are added to it. */
  readonly key: string
  /** Place of its first call in the message. */
  readonly start: number
  /** Places of what the line stands for: its done calls, and the steps between them. */
  readonly folded: ReadonlySet<number>
  /** The calls that are done, in order. */
  readonly done: readonly ToolCallPart[]
  /** How many calls among them still run. Their lines stay. */
  readonly running: number
}

/** Fewer done lines than this are shown as they are. */
const FEWEST = 3

/**
 * The groups of a message. A call that asks, that a person was asked about, or that failed is never in
 * one: it ends the group, and so does anything that the assistant says.
 */
export function toolGroups(
  parts: readonly MessagePart[],
  isOwn: (part: ToolCallPart) => boolean = () => false,
): ToolGroup[] {
  const groups: ToolGroup[] = []
  let run: [place: number, part: ToolCallPart][] = []

  function close(): void {
    const done = run.filter(([, part]) => toolCallStatus(part) === 'success')
    const [first] = run
    const last = done.at(-1)
    if (first && last && done.length >= FEWEST) {
      const running = new Set(run.filter((call) => !done.includes(call)).map(([place]) => place))
      const folded = new Set<number>()
      for (let place = first[0]; place <= last[0]; place++) {
        if (!running.has(place)) folded.add(place)
      }
      const key = `${first[0]} ${first[1].toolCallId}`
      groups.push({
        key,
        start: first[0],
        folded,
        done: done.map(([, part]) => part),
        running: running.size,
      })
    }
    run = []
  }

  for (const [place, part] of parts.entries()) {
    if (part.type === 'step-start') continue
    if (isToolCallPart(part) && isQuiet(part) && !isOwn(part)) run.push([place, part])
    else if (!isNothing(part)) close()
  }
  close()
  return groups
}

/** Runs or is done, and nobody had to be asked. */
function isQuiet(part: ToolCallPart): boolean {
  const { decidedBy, submitted, failure } = assentMetadata(part)
  if (decidedBy === 'person' || submitted || failure) return false
  return ['success', 'executing', 'scheduled'].includes(toolCallStatus(part))
}

/** Parts that show nothing between two calls. */
function isNothing(part: MessagePart): boolean {
  return (part.type === 'text' || part.type === 'reasoning') && part.text.trim() === ''
}
