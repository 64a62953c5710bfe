import type { ToolPresentation } from '@assent/components'
import { Archive, FolderOutput, Mail } from '@lucide/vue'
import type { PlaygroundUITools } from '../workspace/tool-options.ts'

/** How the cards of some tools differ from what the kit makes of their names and risks. */
export const toolPresentation: { [NAME in keyof PlaygroundUITools]?: ToolPresentation } = {
  archive_note: { icon: Archive },
  export_notes: { icon: FolderOutput },
  send_report: {
    icon: Mail,
    denyReasons: ['Not now', 'Wrong recipient', 'Show me the text first', 'Say it differently'],
  },
  delete_note: {
    denyReasons: ['I still need it', 'Archive it instead', 'Wrong note', 'Ask me about it first'],
  },
  delete_backup: {
    denyReasons: ['I still need it', 'Wrong backup', 'Not now', 'Ask me about it first'],
  },
}
