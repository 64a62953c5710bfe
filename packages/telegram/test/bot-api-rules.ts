/** What Telegram answers to a call that it does not take. */
export class Refused extends Error {
  readonly status: number
  readonly parameters: Readonly<Record<string, number>> | undefined

  constructor(status: number, description: string, parameters?: Readonly<Record<string, number>>) {
    super(description)
    this.status = status
    this.parameters = parameters
  }
}

/** The payload of a call, as it came over the wire. */
export type Payload = Readonly<Record<string, unknown>>

export interface Button {
  readonly text: string
  readonly callback_data: string
}

export interface Entity {
  readonly type: string
  readonly offset: number
  readonly length: number
  readonly url?: string
  readonly language?: string
}

export function bad(description: string): Refused {
  return new Refused(400, `Bad Request: ${description}`)
}

export function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

export function readNumber(payload: Payload, name: string): number {
  const value = payload[name]
  const number = typeof value === 'string' && value !== '' ? Number(value) : value
  if (typeof number === 'number' && Number.isSafeInteger(number)) return number
  throw bad(`parameter "${name}" is required`)
}

export function readText(payload: Payload, name: string): string {
  const value = payload[name]
  if (typeof value === 'string' && value !== '') return value
  throw bad(`parameter "${name}" is required`)
}

/** The text of a message and what lies on it, as Telegram would keep them. */
export function readMessageText(payload: Payload): { text: string; entities: readonly Entity[] } {
  const given = typeof payload['text'] === 'string' ? payload['text'] : ''
  if (!given.isWellFormed()) throw bad('strings must be encoded in UTF-8')
  const text = given.trim()
  if (text === '') throw bad('message text is empty')
  // In UTF-16 code units, after entities are parsed.
  if (text.length > 4_096) throw bad('message is too long')
  const entities = readEntities(payload['entities'], given)
  const cut = given.length - given.trimStart().length
  return { text, entities: entities.map((entity) => ({ ...entity, offset: entity.offset - cut })) }
}

function readEntities(value: unknown, text: string): Entity[] {
  if (value === undefined) return []
  if (!Array.isArray(value)) throw bad("can't parse entities: expected an Array of MessageEntity")
  const entities = value.map((entity: unknown) => readEntity(entity, text))
  entities.forEach((entity, at) => {
    for (const other of entities.slice(at + 1)) assertTogether(entity, other)
  })
  return entities
}

const TYPES = new Set(
  (
    'bold italic underline strikethrough spoiler code pre text_link ' +
    'blockquote expandable_blockquote'
  ).split(' '),
)

function readEntity(value: unknown, text: string): Entity {
  if (!isRecord(value)) throw bad("can't parse entities: expected an Object")
  const { type, offset, length, url, language } = value
  if (typeof type !== 'string' || !TYPES.has(type)) throw bad("can't parse entities: unknown type")
  if (typeof offset !== 'number' || typeof length !== 'number' || offset < 0 || length < 1) {
    throw bad('ENTITY_BOUNDS_INVALID')
  }
  const end = offset + length
  const splits = (at: number) => /^[\udc00-\udfff]/.test(text.charAt(at))
  if (end > text.length || splits(offset) || splits(end)) throw bad('ENTITY_BOUNDS_INVALID')
  if (type === 'text_link' && !(typeof url === 'string' && /^https?:\/\/[^/]+/.test(url))) {
    throw bad('ENTITY_URL_INVALID')
  }
  return {
    type,
    offset,
    length,
    ...(typeof url === 'string' && { url }),
    ...(typeof language === 'string' && { language }),
  }
}

const FREE = new Set(['bold', 'italic', 'underline', 'strikethrough', 'spoiler'])

/** Those that share characters lie one inside the other, and are of kinds that may. */
function assertTogether(one: Entity, other: Entity): void {
  const [endOfOne, endOfOther] = [one.offset + one.length, other.offset + other.length]
  if (endOfOne <= other.offset || endOfOther <= one.offset) return
  const contains = (a: Entity, b: Entity) =>
    a.offset <= b.offset && a.offset + a.length >= b.offset + b.length
  const types = [one.type, other.type]
  const isQuotation = types.some((type) => type.endsWith('blockquote'))
  const isAllowed = isQuotation
    ? one.type !== other.type
    : !types.some((type) => type === 'code' || type === 'pre') &&
      types.some((type) => FREE.has(type))
  if (isAllowed && (contains(one, other) || contains(other, one))) return
  throw bad(`ENTITIES_INTERSECT (${one.type}, ${other.type})`)
}

export function readKeyboard(markup: unknown): Button[][] {
  const value: unknown = typeof markup === 'string' ? JSON.parse(markup) : markup
  if (value === undefined) return []
  if (!isRecord(value) || !Array.isArray(value['inline_keyboard'])) {
    throw bad("can't parse reply keyboard markup JSON object")
  }
  return value['inline_keyboard'].map((row: unknown) => {
    if (!Array.isArray(row)) throw bad('an inline keyboard is an Array of Arrays')
    return row.map(readButton)
  })
}

function readButton(button: unknown): Button {
  if (!isRecord(button)) throw bad('a button is an Object')
  const { text, callback_data: data } = button
  if (typeof text !== 'string' || text.trim() === '') throw bad('text buttons need a text')
  if (typeof data !== 'string' || data === '' || Buffer.byteLength(data) > 64) {
    throw bad('BUTTON_DATA_INVALID')
  }
  return { text, callback_data: data }
}
