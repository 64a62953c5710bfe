import { z } from 'zod'
import { pathText } from './input-bounds.ts'
import { WorkspaceRefusal } from './refusal.ts'
import { shownChange, type PlannedFile } from './shown-change.ts'
import { quoted, type ToolKit, type WorkspaceTool } from './tool-kit.ts'

const inputSchema = z.object({
  path: pathText.describe('The file, from the workspace on.'),
  oldText: z.string().min(1).describe('What is replaced, exactly as it stands in the file.'),
  newText: z.string().describe('What stands there afterwards.'),
  all: z.boolean().optional().describe('Replace every place. Without it there must be only one.'),
})

export type EditInput = z.infer<typeof inputSchema>

/** Replaces one text in a file by another. */
export function editTool(kit: ToolKit): WorkspaceTool<EditInput> {
  const change = shownChange<EditInput>(
    kit,
    (input, before) => {
      const { path } = input
      if (!before) throw new WorkspaceRefusal('not_found', path, `${path} does not exist.`)
      return replaceText(before.text, input)
    },
    ({ path, oldText, newText, all = false }) => [path, oldText, newText, all],
  )

  return {
    description:
      'Replaces a text in a file of the workspace by another one. The text must stand there exactly ' +
      'so, white space included, and only once, unless all is set: name enough of what is around it.',
    inputSchema,
    clear: change.clear,
    async execute(input, call) {
      const { name, places } = await change.write(input, call)
      return `Changed ${name} in ${places} ${places === 1 ? 'place' : 'places'}.`
    },
    options: {
      risk: 'write',
      summary: ({ path, all }) => `Change ${quoted(path)}${all ? ' in every place' : ''}`,
      preview: change.preview,
    },
  }
}

/**
 * Replaces a text in another one, exactly; in a file whose lines end with CRLF also a text whose lines
 * end without. Throws a refusal when it is not there, or not once.
 */
export function replaceText(before: string, input: EditInput): PlannedFile {
  const { path, all = false } = input
  const isOtherEnds = !before.includes(input.oldText) && before.includes('\r\n')
  const inFile = (text: string) => (isOtherEnds ? text.replaceAll(/\r?\n/g, '\r\n') : text)
  const [oldText, newText] = [inFile(input.oldText), inFile(input.newText)]
  if (oldText === newText) {
    throw new WorkspaceRefusal('invalid', path, 'oldText and newText are the same.')
  }
  const pieces = before.split(oldText)
  const places = pieces.length - 1
  if (places === 0) {
    const message = `oldText does not stand in ${path}. Read the file, and copy it exactly.`
    throw new WorkspaceRefusal('not_found', path, message)
  }
  if (places > 1 && !all) {
    const lines = pieces
      .slice(0, Math.min(places, 10))
      .map((_, index) => lineAt(pieces.slice(0, index + 1).join(oldText)))
    const message =
      `oldText stands in ${path} ${places} times, at the lines ${lines.join(', ')}` +
      `${places > lines.length ? ' …' : ''}. Name more of what is around it, or set all.`
    throw new WorkspaceRefusal('invalid', path, message)
  }
  return { after: pieces.join(newText), places }
}

function lineAt(before: string): number {
  return before.split('\n').length
}
