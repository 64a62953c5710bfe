import { describe, expect, it } from 'vitest'
import { createMessageEngine } from '../engine.ts'
import { toolPlugin } from '../plugins/tools/tool-plugin.ts'
import { defineStorage } from '../storage/define-storage.ts'
import { memoryStorage } from '../storage/memory-storage.ts'
import { BrokenRule } from './broken-rule.ts'
import { approvalConformance, approvalFaults } from './approval-conformance.ts'
import { pageFaults } from './approval-conformance/page-faults.ts'
import type { OpenPage } from './approval-conformance/page-site.ts'

const isDeep = process.env['ASSENT_DEEP'] === '1'
const plays = isDeep ? 100 : 6
/** Every sixth one, as a sample, where there is less time. */
const PLAYED_FAULTS = pageFaults.filter((_fault, index) => isDeep || index % 6 === 0)
const storage = defineStorage(memoryStorage())
const openPage: OpenPage = ({ id, transport, tools, toolApproval }) => ({
  engine: createMessageEngine({
    id,
    transport,
    storage,
    plugins: [toolPlugin({ tools, toolApproval })],
    onError: () => {},
  }),
})

describe('an engine with the tool plugin', () => {
  it.each(approvalConformance('page', { plays }))('$name', async ({ run }) => {
    await expect(run(openPage)).resolves.toBeUndefined()
  })
})

describe('the conformance suite for approvals', () => {
  it.each(approvalFaults('page'))('$name', async ({ run }) => {
    await expect(run(openPage)).resolves.toBeUndefined()
  })

  it.each(PLAYED_FAULTS)('notices in random plays a page that $name', async ({ make }) => {
    const played = approvalConformance('page', { plays: 40 }).slice(-40)
    const broken: unknown[] = []
    for (const { run } of played) {
      if (broken.length > 0) break
      await run(make(openPage)).catch((error: unknown) => broken.push(error))
    }
    expect(broken).toEqual([expect.any(BrokenRule)])
  })

  it('gives its tests names of their own', () => {
    const names = approvalConformance('page').map(({ name }) => name)
    expect(new Set(names).size).toBe(names.length)
  })
})
