import { cdp } from 'vitest/browser'

/** One node of what the browser tells assistive technology. */
export interface AxItem {
  readonly role: string
  readonly name: string
  readonly description: string
  /** What it is in, from the page down. */
  readonly within: readonly AxItem[]
}

interface FrameTree {
  frame: { id: string }
  childFrames?: FrameTree[]
}

interface AxNode {
  ignored: boolean
  role?: { value: string }
  name?: { value: string }
  description?: { value: string }
  nodeId: string
  parentId?: string
  childIds?: string[]
}

/** Roles that say nothing by themselves. */
const SILENT = new Set([
  'StaticText',
  'InlineTextBox',
  'generic',
  'none',
  'LineBreak',
  'ListMarker',
])

/** The page as Chromium itself tells it, in reading order: not as a library for tests works it out. */
export async function accessibilityTree(): Promise<AxItem[]> {
  const session = cdp() as unknown as {
    send(method: string, params?: object): Promise<{ nodes: AxNode[]; frameTree: FrameTree }>
  }
  await session.send('Accessibility.enable')
  const { frameTree } = await session.send('Page.getFrameTree')
  // Tests run in a frame of their own.
  const frameId = frameTree.childFrames?.[0]?.frame.id
  const { nodes } = await session.send('Accessibility.getFullAXTree', { frameId })
  const byId = new Map(nodes.map((node) => [node.nodeId, node]))
  const items: AxItem[] = []
  const walk = (node: AxNode | undefined, within: readonly AxItem[]): void => {
    if (!node) return
    const role = node.role?.value ?? ''
    const { name, description } = node
    const isSaid = !node.ignored && !SILENT.has(role)
    const item = { role, name: name?.value ?? '', description: description?.value ?? '', within }
    if (isSaid) items.push(item)
    node.childIds?.forEach((id) => walk(byId.get(id), isSaid ? [...within, item] : within))
  }
  walk(nodes[0], [])
  return items
}

/** As a line of a test: the role, the name, the description. */
export function axLine({ role, name, description }: AxItem): string {
  return [role, name, description].filter(Boolean).join(' | ')
}
