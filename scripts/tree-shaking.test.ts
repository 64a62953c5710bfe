import { basename, join } from 'node:path'
import { expect, it, vi } from 'vitest'
import { bundleEntry } from './bundle.ts'
import { ROOT } from './child.ts'

// They bundle the kit, on a machine that may be busy.
vi.setConfig({ testTimeout: 120_000 })

/** The components of the kit, and the packages, of which something comes with one export. */
async function comesWith(name: string): Promise<string[]> {
  const entry = join(ROOT, 'packages/components/src/index.ts')
  const external = ['vue', 'ai', '@assent/engine', '@assent/vue']
  const { modules } = await bundleEntry(entry, external, [name])
  const origins = modules.flatMap((id) => {
    const [, dependency] = /.*\/node_modules\/((?:@[^/]+\/)?[^/]+)\//.exec(id) ?? []
    if (dependency !== undefined) return [dependency]
    const [file = ''] = id.split('?', 1)
    return file.endsWith('.vue') ? [basename(file, '.vue')] : []
  })
  return [...new Set(origins)].toSorted()
}

it.each([
  ['AsComposer', ['AsBubble', 'AsToolCall', 'AsMarkdown', 'AsChat', 'AsApprovalTray', 'marked']],
  ['AsMarkdown', ['AsBubble', 'AsToolCall', 'AsComposer', 'AsChat', 'AsConfigProvider']],
  ['AsToolCall', ['AsBubble', 'AsComposer', 'AsMarkdown', 'AsChat', 'marked', 'remend']],
  ['AsBubbleList', ['AsComposer', 'AsChat', 'AsApprovalTray', 'AsConfigProvider']],
])('brings with %s what it is made of, and nothing else', async (name, others) => {
  const found = await comesWith(name)
  expect(found).toContain(name)
  for (const other of others) expect(found).not.toContain(other)
})

it('brings no other component and no icon with the configuration', async () => {
  expect(await comesWith('AsConfigProvider')).toEqual(['AsConfigProvider'])
})

it('brings everything with the plugin that registers everything', async () => {
  const found = await comesWith('AssentComponents')
  for (const part of ['AsBubble', 'AsToolCall', 'AsMarkdown', 'AsComposer', 'AsChat', 'marked']) {
    expect(found).toContain(part)
  }
})
