import type { PreviewedFile, PreviewValue, ToolPreview } from '@assent/engine'

type Fields = Readonly<Record<string, unknown>>

/**
 * A preview as it can be shown, out of what a tool's options or a server have said; `undefined` for
 * what is none. Fields of another type than theirs are left out rather than guessed at.
 */
export function readPreview(value: unknown): ToolPreview | undefined {
  if (!isFields(value)) return undefined
  switch (value['kind']) {
    case 'diff':
      return readDiff(value)
    case 'patch': {
      const patch = textOf(value, 'patch')
      return patch === undefined ? undefined : { kind: 'patch', patch }
    }
    case 'command':
      return readCommand(value)
    case 'request':
      return readRequest(value)
    case 'table':
      return readTable(value)
    case 'email':
      return readEmail(value)
    case 'text': {
      const text = textOf(value, 'text')
      return text === undefined ? undefined : { kind: 'text', text }
    }
    default:
      return undefined
  }
}

function readDiff(value: Fields): ToolPreview | undefined {
  const files = readFiles(value)
  return files && { kind: 'diff', files }
}

function readFiles({ files }: Fields): PreviewedFile[] | undefined {
  if (!Array.isArray(files)) return undefined
  const read = files.filter(isFields).map((file): PreviewedFile => texts(file, FILE))
  const known = read.filter(({ before, after }) => before !== undefined || after !== undefined)
  return known.length === 0 ? undefined : known
}

function readCommand(value: Fields): ToolPreview | undefined {
  const command = textOf(value, 'command')
  if (command === undefined) return undefined
  const env = textFields(value['env'])
  const files = readFiles(value)
  return {
    kind: 'command',
    command,
    ...texts(value, ['cwd', 'rights']),
    ...(env && { env }),
    ...(files && { files }),
  }
}

function readRequest(value: Fields): ToolPreview | undefined {
  const url = textOf(value, 'url')
  if (url === undefined) return undefined
  const headers = textFields(value['headers'])
  const { method = 'GET', ...rest } = texts(value, ['method', 'body'])
  return { kind: 'request', method, url, ...rest, ...(headers && { headers }) }
}

function readTable(value: Fields): ToolPreview | undefined {
  const { columns, rows, total } = value
  if (!Array.isArray(columns) || !Array.isArray(rows)) return undefined
  return {
    kind: 'table',
    columns: columns.map(String),
    rows: rows.filter((row) => Array.isArray(row)).map((row: unknown[]) => row.map(toCell)),
    ...texts(value, ['caption']),
    ...(typeof total === 'number' && { total }),
  }
}

function readEmail(value: Fields): ToolPreview | undefined {
  const body = textOf(value, 'body')
  const to = textList(value['to'])
  if (body === undefined || !to) return undefined
  const cc = textList(value['cc'])
  const bcc = textList(value['bcc'])
  const attachments = textList(value['attachments'])
  return {
    kind: 'email',
    to,
    body,
    ...texts(value, ['from', 'subject']),
    ...(cc && { cc }),
    ...(bcc && { bcc }),
    ...(attachments && { attachments }),
  }
}

const FILE = ['path', 'before', 'after'] as const

function toCell(value: unknown): PreviewValue {
  if (value === null || ['string', 'number', 'boolean'].includes(typeof value)) {
    return value as PreviewValue
  }
  return JSON.stringify(value) ?? null
}

function texts<NAME extends string>(
  value: Fields,
  names: readonly NAME[],
): { [KEY in NAME]?: string } {
  const read: { [KEY in NAME]?: string } = {}
  for (const name of names) {
    const text = textOf(value, name)
    if (text !== undefined) read[name] = text
  }
  return read
}

function textOf(value: Fields, name: string): string | undefined {
  const field = value[name]
  return typeof field === 'string' ? field : undefined
}

function textList(value: unknown): string[] | undefined {
  if (typeof value === 'string') return [value]
  if (!Array.isArray(value)) return undefined
  return value.filter((item) => typeof item === 'string')
}

function textFields(value: unknown): Record<string, string> | undefined {
  if (!isFields(value)) return undefined
  return Object.fromEntries(
    Object.entries(value).flatMap(([name, field]) =>
      typeof field === 'string' ? [[name, field]] : [],
    ),
  )
}

function isFields(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
