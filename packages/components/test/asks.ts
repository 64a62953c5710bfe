import type { ToolCallPart } from '@assent/engine'
import type { UIMessage } from 'ai'
import { page, type Locator } from 'vitest/browser'
import { createChatDouble, type ChatDouble } from './chat-double.ts'
import { ask, assistant } from './fixtures.ts'

/** A call without a summary. */
export const note = ask('write_note', 'c1', { title: 'Rent', text: 'Due on Friday' })
/** A call with a summary and a reason for asking. */
export const edit = ask(
  'edit_file',
  'c2',
  { path: 'README.md' },
  { summary: 'Change the title in README.md', risk: 'write' },
  'Files are asked about',
)
/** A call that cannot be undone. */
export const remove = ask(
  'delete_files',
  'c3',
  { paths: ['a.pdf', 'b.pdf'] },
  { summary: 'Delete 2 files', risk: 'destroy' },
)

/** A paused conversation whose only message (`a1`) has these parts. */
export function paused(...parts: UIMessage['parts']): ChatDouble {
  return createChatDouble({ requestState: 'paused', messages: [assistant('a1', ...parts)] })
}

/** Makes another part out of one call of that message. */
export function settle(
  double: ChatDouble,
  id: string,
  make: (part: ToolCallPart) => ToolCallPart,
): void {
  double.change('a1', (message) => ({
    ...message,
    parts: message.parts.map((part) =>
      'toolCallId' in part && part.toolCallId === id ? make(part) : part,
    ),
  }))
}

/** The commands that changed something, each with its arguments. */
export function commands(double: ChatDouble): unknown[] {
  return double.calls
    .filter((recorded) => recorded.method === 'runPluginCommand')
    .map((recorded) => recorded.args)
    .filter(([, command]) => !String(command).startsWith('read'))
}

export const approve = (name = 'Approve'): Locator => page.getByRole('button', { name })
export const deny = (): Locator => page.getByRole('button', { name: 'Deny', exact: true })
