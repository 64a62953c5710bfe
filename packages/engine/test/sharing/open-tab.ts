import { z } from 'zod'
import type { EngineError } from '../../src/errors.ts'
import { isToolCallPart, type ToolCallPart } from '../../src/message/tool-part.ts'
import type { EnginePlugin } from '../../src/plugin.ts'
import { toolPlugin } from '../../src/plugins/tools/tool-plugin.ts'
import { createSharedEngine } from '../../src/sharing/create-shared-engine.ts'
import type { SharedEngine, SharedEngineOptions } from '../../src/sharing/shared-engine.ts'
import { defineStorage } from '../../src/storage/define-storage.ts'
import type { MemoryStorage } from '../../src/storage/memory-storage.ts'
import { scriptedTransport, untilState, type ScriptedTransport } from '../../src/testing/index.ts'
import type { FakeBrowser, FakeTab } from './fake-browser.ts'

/** A tab with a shared engine, its own transport, and a tool `write` that asks. */
export interface OpenTab {
  readonly tab: FakeTab
  readonly engine: SharedEngine
  readonly transport: ScriptedTransport
  readonly errors: EngineError[]
  calls(): ToolCallPart[]
  resume(payload: {
    toolCallId: string
    outcome?: 'yes' | 'no' | 'yes_always'
    reason?: string
  }): ReturnType<SharedEngine['runPluginCommand']>
  until(isReached: (engine: SharedEngine) => boolean): Promise<void>
}

/** What runs in any tab of the conversation. */
export interface World {
  readonly browser: FakeBrowser
  readonly disk: MemoryStorage
  /** One entry per run: the tab and the path. */
  readonly effects: string[]
  /** Runs the tool `write`, after its effect. */
  readonly execute?: (path: string, signal: AbortSignal | undefined) => unknown
}

export function openTab(
  { browser, disk, effects, execute = (path) => `wrote ${path}` }: World,
  script: Parameters<typeof scriptedTransport>[0] = [],
  more: Partial<SharedEngineOptions> & { with?: readonly EnginePlugin[] } = {},
): OpenTab {
  const { with: plugins = [], ...options } = more
  const tab = browser.open()
  const errors: EngineError[] = []
  const transport = scriptedTransport(script)
  const tool = toolPlugin({
    tools: {
      write: {
        inputSchema: z.object({ path: z.string() }),
        execute: ({ path }: { path: string }, { abortSignal }: { abortSignal?: AbortSignal }) => {
          effects.push(`${tab.name}: ${path}`)
          return execute(path, abortSignal)
        },
      },
    },
    toolApproval: { write: 'user-approval' },
  })
  const engine = createSharedEngine({
    id: 'chat',
    transport,
    storage: defineStorage(tab.disk(disk)),
    plugins: [tool, ...plugins],
    locks: tab.locks,
    channel: tab.channel,
    onError: (error) => errors.push(error),
    ...options,
  })
  return {
    tab,
    engine,
    transport,
    errors,
    calls: () => engine.getState().messages.flatMap(({ parts }) => parts.filter(isToolCallPart)),
    resume: (payload) => engine.runPluginCommand('tool', 'resumeToolCall', payload),
    until: async (isReached) => void (await untilState(engine, () => isReached(engine))),
  }
}
