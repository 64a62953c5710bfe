import { basename } from 'node:path'
import { z } from 'zod'
import { pathText } from './input-bounds.ts'
import { clearReading } from './clear-path.ts'
import { readLocated } from './open-file.ts'
import { quoted, type ToolKit, type WorkspaceTool } from './tool-kit.ts'

const inputSchema = z.object({
  path: pathText.describe('The file, from the workspace on.'),
  name: z.string().min(1).max(200).optional().describe('What the file is called for the person.'),
})

export type AttachInput = z.infer<typeof inputSchema>

/** A file that the model hands to the person. */
export interface AttachedFile {
  /** What it is called: no path. */
  readonly name: string
  /** Where it is, as the tools name it. */
  readonly path: string
  readonly mediaType: string
  readonly bytes: Uint8Array
  readonly toolCallId: string
}

/** Takes a file that the model hands back, and may say what became of it, as JSON or a text. */
export type Attach = (file: AttachedFile) => unknown

/** Hands a file of the workspace back to the person. */
export function attachTool(kit: ToolKit, attach: Attach): WorkspaceTool<AttachInput> {
  return {
    description: 'Hands a file of the workspace to the person, of whatever kind it is.',
    inputSchema,
    clear: ({ path }) => clearReading(kit, path),
    async execute({ path, name }, { toolCallId }) {
      const located = await kit.places.locate(path)
      const { bytes } = await readLocated(located, kit.maxFileBytes)
      const file: AttachedFile = {
        // A name must not say where to put it.
        name: basename((name ?? located.real).replaceAll('\\', '/')),
        path: kit.roots.show(located.real),
        mediaType: mediaTypeOf(located.real),
        bytes,
        toolCallId,
      }
      const said = await attach(file)
      const text = said === undefined ? `Handed over ${file.name}: ${bytes.length} bytes.` : said
      return typeof text === 'string' ? text : (JSON.stringify(text) ?? 'Handed over.')
    },
    options: {
      risk: 'send',
      summary: ({ path }) => `Hand over ${quoted(path)}`,
    },
  }
}

const MEDIA_TYPES: ReadonlyMap<string, string> = new Map(
  Object.entries({
    csv: 'text/csv',
    gif: 'image/gif',
    html: 'text/html',
    jpeg: 'image/jpeg',
    jpg: 'image/jpeg',
    json: 'application/json',
    md: 'text/markdown',
    mp3: 'audio/mpeg',
    mp4: 'video/mp4',
    pdf: 'application/pdf',
    png: 'image/png',
    svg: 'image/svg+xml',
    txt: 'text/plain',
    wav: 'audio/wav',
    webp: 'image/webp',
    zip: 'application/zip',
  }),
)

function mediaTypeOf(path: string): string {
  const ending = path.slice(path.lastIndexOf('.') + 1).toLowerCase()
  return MEDIA_TYPES.get(ending) ?? 'application/octet-stream'
}
