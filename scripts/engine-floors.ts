import { DEFAULT_FLOOR, ENGINE_FLOORS, ENGINE_ROOMS, type Room } from './floors.ts'

/** Where a file of the engine stands: on a floor (0 is the highest), or in a room beside them. */
type Place =
  | { kind: 'floor'; level: number; entry: string; known: boolean }
  | { kind: 'room'; room: Room; name: string }

/**
 * Whether one file of the engine may import another.
 *
 * @param from the importing file, relative to the engine's `src`
 * @param to the imported file, relative to the engine's `src`
 * @returns why not; `undefined` when it may
 */
export function engineObjection(from: string, to: string, typeOnly: boolean): string | undefined {
  const importer = placeOf(from)
  const target = placeOf(to)
  if (importer.kind === 'room') return roomObjection(importer, target, typeOnly)
  if (target.kind === 'room') {
    if (target.room.from.includes(importer.entry)) return undefined
    const allowed = target.room.from.join(', ') || 'nothing'
    return `${target.name} is imported by ${allowed} only`
  }
  if (target.level >= importer.level) return undefined
  return `${importer.entry} is below ${target.entry} and must not import it`
}

/** Whether a file of the engine has a line in the table. One without counts as `DEFAULT_FLOOR`. */
export function hasPlace(file: string): boolean {
  const place = placeOf(file)
  return place.kind === 'room' || place.known
}

function roomObjection(
  importer: Extract<Place, { kind: 'room' }>,
  target: Place,
  typeOnly: boolean,
): string | undefined {
  const { room, name } = importer
  if (target.kind === 'room' && target.name === name) return undefined
  if (target.kind === 'floor') {
    if (room.imports.includes(target.entry)) return undefined
    if (room.types.includes(target.entry)) {
      return typeOnly ? undefined : `${name} may import only types of ${target.entry}`
    }
  }
  const allowed = [...room.imports, ...room.types.map((entry) => `types of ${entry}`)].join(', ')
  return `${name} may import ${allowed}; not ${target.kind === 'room' ? target.name : target.entry}`
}

function placeOf(file: string): Place {
  const own = ENGINE_FLOORS.findIndex((entries) => entries.includes(file))
  if (own !== -1) return { kind: 'floor', level: own, entry: file, known: true }
  for (const room of ENGINE_ROOMS) {
    const folder = room.room.replace('*', '')
    if (!file.startsWith(folder)) continue
    const name = room.room.endsWith('*') ? file.split('/').slice(0, 2).join('/') : folder
    return { kind: 'room', room, name }
  }
  const level = ENGINE_FLOORS.findIndex((entries) => entries.some((entry) => covers(entry, file)))
  if (level === -1) {
    const floor = ENGINE_FLOORS.findIndex((entries) => entries.includes(DEFAULT_FLOOR))
    return { kind: 'floor', level: floor, entry: file, known: false }
  }
  const entry = ENGINE_FLOORS[level]?.find((candidate) => covers(candidate, file)) ?? file
  return { kind: 'floor', level, entry, known: true }
}

function covers(entry: string, file: string): boolean {
  return entry.endsWith('/') ? file.startsWith(entry) : file === entry
}
