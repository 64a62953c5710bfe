import type { Clearance, ToolKit } from './tool-kit.ts'
import { ALLOWED } from './tool-kit.ts'
import { WorkspaceRefusal } from './refusal.ts'
import type { Located } from './roots.ts'
import { withLookAlike } from './shell/look-alikes.ts'
import { visibleName } from './visible-name.ts'

/** Whether a file may be read: a sensitive one after a yes. */
export function clearReading(kit: ToolKit, path: string): Promise<Clearance> {
  return clear(kit, path, ({ isSensitive, exists }) =>
    isSensitive && exists
      ? { verdict: 'ask', reason: withLookAlike(`${visibleName(path)} may hold secrets.`) }
      : ALLOWED,
  )
}

/** Whether a file may be written: after a yes. */
export function clearWriting(kit: ToolKit, path: string): Promise<Clearance> {
  return clear(kit, path, ({ isSensitive, exists }) => ({
    verdict: 'ask',
    reason: withLookAlike(
      isSensitive
        ? `${visibleName(path)} may hold secrets, or decide what programs run.`
        : `It ${exists ? 'changes' : 'creates'} ${visibleName(path)}.`,
    ),
  }))
}

/** What will be refused is not asked about: the refusal is what the model reads. */
async function clear(
  { roots }: ToolKit,
  path: string,
  judge: (located: Located) => Clearance,
): Promise<Clearance> {
  try {
    return judge(await roots.locate(path))
  } catch (error) {
    if (error instanceof WorkspaceRefusal) return ALLOWED
    throw error
  }
}
