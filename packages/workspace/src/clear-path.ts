import type { Clearance, ToolKit } from './tool-kit.ts'
import { ALLOWED } from './tool-kit.ts'
import { WorkspaceRefusal } from './refusal.ts'
import { isInRepository, OF_REPOSITORY } from './bare-repository.ts'
import type { Located, Roots } from './roots.ts'
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

/**
 * Whether a file may be written: after a yes. Not through a link: what was said of a path, once or for good, was said of that
 * path, and the model can name the file itself.
 */
export function clearWriting(kit: ToolKit, path: string): Promise<Clearance> {
  return clear(kit, path, (located) => {
    checkStraight(kit.roots, located)
    const { isSensitive, exists, real, root } = located
    const name = visibleName(path)
    const said = isSensitive
      ? `${name} may hold secrets, or decide what programs run.`
      : `It ${exists ? 'changes' : 'creates'} ${name}.`
    const more = isInRepository(real, root.path) ? ` ${OF_REPOSITORY}` : ''
    return { verdict: 'ask', reason: withLookAlike(said + more) }
  })
}

/** Throws a refusal for a path that a link takes elsewhere. */
export function checkStraight(roots: Roots, { path, real }: Located): void {
  if (roots.withoutLinks(path) === real) return
  const message = `${path} goes through a link to ${roots.show(real)}. Name that file itself.`
  throw new WorkspaceRefusal('link', path, message)
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
