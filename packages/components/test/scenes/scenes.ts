import { approvalScenes } from './approvals.ts'
import { askScenes, type AskScene } from './ask.ts'
import { chatScenes } from './chats.ts'
import { contentScenes } from './content.ts'
import { deliveryScenes } from './delivery.ts'
import { scenesInLooks } from './looks.ts'
import { shellScenes, type ShellScene } from './shell.ts'
import { stateScenes } from './states.ts'
import { turnScenes } from './turns.ts'

/** A conversation as it stands, and what is around it. */
export type Scene = AskScene & ShellScene

/** Snapshots by name. */
export const scenes = new Map<string, Scene>([
  ...shellScenes,
  ...approvalScenes,
  ...askScenes,
  ...contentScenes,
  ...stateScenes,
  ...deliveryScenes,
  ...turnScenes,
  ...chatScenes,
])

for (const [name, scene] of scenesInLooks(scenes, ['asks', 'lines', 'text', 'error'])) {
  scenes.set(name, scene)
}
