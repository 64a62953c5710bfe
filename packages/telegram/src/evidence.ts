import { splitVisible } from '@assent/engine/reading'
import type { TaskCall } from '@assent/worker'
import { createTwoFilesPatch, FILE_HEADERS_ONLY } from 'diff'
import { z } from 'zod'

/** What a call would do, as a text. */
export interface Evidence {
  readonly text: string
  /** What a client may colour it as. */
  readonly language?: string
}

const value = z.union([z.string(), z.number(), z.boolean(), z.null()])
const texts = z.array(z.string())

const files = z.array(
  z.object({
    path: z.string().optional(),
    before: z.string().optional(),
    after: z.string().optional(),
  }),
)

/** A server's word, too: what does not fit is shown as JSON. */
const preview = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('diff'), files }),
  z.object({ kind: z.literal('patch'), patch: z.string() }),
  z.object({
    kind: z.literal('command'),
    command: z.string(),
    cwd: z.string().optional(),
    rights: z.string().optional(),
    env: z.record(z.string(), z.string()).optional(),
    files: files.optional(),
  }),
  z.object({
    kind: z.literal('request'),
    method: z.string(),
    url: z.string(),
    headers: z.record(z.string(), z.string()).optional(),
    body: z.string().optional(),
  }),
  z.object({
    kind: z.literal('table'),
    columns: texts,
    rows: z.array(z.array(value)),
    caption: z.string().optional(),
    total: z.number().optional(),
  }),
  z.object({
    kind: z.literal('email'),
    to: texts,
    cc: texts.optional(),
    bcc: texts.optional(),
    from: z.string().optional(),
    subject: z.string().optional(),
    body: z.string(),
    attachments: texts.optional(),
  }),
  z.object({ kind: z.literal('text'), text: z.string() }),
])

type Preview = z.infer<typeof preview>

/** What a person has to see of a call: its preview, else its input. */
export function evidenceOf(call: TaskCall): Evidence {
  const known = preview.safeParse(call.preview).data
  if (known) return ofPreview(known)
  return { text: JSON.stringify(call.preview ?? call.input, null, 2), language: 'json' }
}

function ofPreview(shown: Preview): Evidence {
  switch (shown.kind) {
    case 'diff':
      return { text: shown.files.map(diffOf).join('\n'), language: 'diff' }
    case 'patch':
      return { text: shown.patch, language: 'diff' }
    case 'command': {
      const settings = Object.entries(shown.env ?? {}).map(([name, set]) => `${name}=${set}`)
      const where = shown.cwd === undefined ? [] : [`# in ${shown.cwd}`]
      const rights = shown.rights === undefined ? [] : [`# ${shown.rights}`]
      const changes = (shown.files ?? []).flatMap((file) => ['', diffOf(file)])
      return {
        text: [...where, ...rights, ...settings, shown.command, ...changes].join('\n'),
        language: changes.length > 0 ? 'diff' : 'bash',
      }
    }
    case 'request': {
      const headers = Object.entries(shown.headers ?? {}).map(([name, set]) => `${name}: ${set}`)
      const body = shown.body === undefined ? [] : ['', shown.body]
      return { text: [`${shown.method} ${shown.url}`, ...headers, ...body].join('\n') }
    }
    case 'table':
      return { text: tableOf(shown) }
    case 'email':
      return { text: emailOf(shown) }
    case 'text':
      return { text: shown.text }
  }
}

function diffOf({
  path = 'file',
  before,
  after,
}: {
  path?: string | undefined
  before?: string | undefined
  after?: string | undefined
}): string {
  const names = [
    before === undefined ? '/dev/null' : path,
    after === undefined ? '/dev/null' : path,
  ]
  const [from = path, to = path] = names
  return createTwoFilesPatch(from, to, before ?? '', after ?? '', undefined, undefined, {
    context: 3,
    headerOptions: FILE_HEADERS_ONLY,
  }).trimEnd()
}

function tableOf({ columns, rows, caption, total }: Extract<Preview, { kind: 'table' }>): string {
  const shown = rows.map((row) =>
    row.map((cell) => (cell === null ? '' : String(cell))).join(' | '),
  )
  const count = total === undefined || total <= rows.length ? [] : [`(${rows.length} of ${total})`]
  return [
    ...(caption === undefined ? [] : [caption]),
    columns.join(' | '),
    ...shown,
    ...count,
  ].join('\n')
}

function emailOf({
  from,
  to,
  cc,
  bcc,
  subject,
  attachments,
  body,
}: Extract<Preview, { kind: 'email' }>): string {
  const lines: readonly (readonly [string, readonly string[]])[] = [
    ['From', from === undefined ? [] : [from]],
    ['To', to],
    ['Cc', cc ?? []],
    ['Bcc', bcc ?? []],
    ['Subject', subject === undefined ? [] : [subject]],
    ['Attachments', attachments ?? []],
  ]
  const head = lines.flatMap(([name, values]) =>
    values.length > 0 ? [`${name}: ${values.join(', ')}`] : [],
  )
  return [...head, '', body].join('\n')
}

/**
 * A text as it really is: characters that cannot be seen or that turn others around are named, and so
 * are hosts that only look like what they say.
 */
export function visible(text: string): string {
  return splitVisible(text)
    .map((piece) => {
      if (typeof piece === 'string') return piece
      return 'ascii' in piece ? ` ⟦${piece.ascii}⟧` : `⟦${piece.label}⟧`
    })
    .join('')
}
