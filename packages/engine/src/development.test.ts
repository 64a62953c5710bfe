import { jsonSchema, tool, type Tool } from 'ai'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { evaluateApproval, type ApprovalRules } from './approval/evaluate-approval.ts'
import { createMessageEngine } from './engine.ts'
import type { EngineStorage } from './persistence.ts'
import { toolPlugin } from './plugins/tools/tool-plugin.ts'
import { answer, callTools, scriptedTransport } from './testing/index.ts'

const warn = vi.fn<(text: string) => void>()

beforeEach(() => {
  vi.useFakeTimers()
  vi.spyOn(console, 'warn').mockImplementation(warn)
})

afterEach(() => {
  warn.mockReset()
  vi.restoreAllMocks()
  vi.useRealTimers()
  vi.unstubAllEnvs()
  vi.unstubAllGlobals()
  vi.resetModules()
})

const act: Tool = tool({ inputSchema: jsonSchema({ type: 'object' }), execute: () => 'done' })
const warnings = () => warn.mock.calls.map(([text]) => text)

/** Each test has a tool of its own: what was told is not told again. */
async function decide(toolName: string, rules: ApprovalRules = {}): Promise<void> {
  const call = { toolName, toolCallId: '1', input: {} }
  await evaluateApproval(call, { tools: { [toolName]: act }, owner: {}, ...rules })
}

describe('a tool whose name says what it does to the world', () => {
  it.each<[string, ApprovalRules, string]>([
    ['deleteFile', { toolApproval: { deleteFile: 'approved' } }, 'its status in toolApproval'],
    ['send_mail', { defaultApproval: 'approved' }, "defaultApproval: 'approved'"],
    ['pay', { risk: 'read' }, "risk: 'read'"],
    [
      'mcp__db__drop',
      { tools: { mcp__db__drop: { ...act, needsApproval: false } } },
      'needsApproval: false',
    ],
  ])('is told of once when it is set to run unasked: %s', async (name, rules, setting) => {
    await decide(name, rules)
    await decide(name, rules)
    expect(warnings()).toEqual([
      expect.stringContaining(`The tool "${name}" runs without asking anybody, by ${setting};`),
    ])
  })

  it.each<[string, ApprovalRules]>([
    ['deployApp', { toolApproval: { deployApp: () => 'approved' } }],
    ['purge_cache', { toolApproval: () => 'approved' }],
    ['refund', { toolApproval: { refund: 'user-approval' } }],
    ['wipeDisk', { toolApproval: { wipeDisk: 'denied' }, defaultApproval: 'approved' }],
    ['erase', {}],
    ['sender', { defaultApproval: 'approved' }],
    ['readPayments', { defaultApproval: 'approved' }],
    ['buy', { owner: undefined as never, defaultApproval: 'approved' }],
  ])('is not told of when something looks at the call, or it asks: %s', async (name, rules) => {
    await decide(name, rules)
    expect(warnings()).toEqual([])
  })
})

describe('a tool that is called and was never announced', () => {
  it('is told of once', async () => {
    const call = (toolCallId: string) => ({ toolCallId, toolName: 'nowhere', input: {} })
    const engine = createMessageEngine({
      transport: scriptedTransport([callTools([call('1'), call('2')]), answer('Hm.')]),
      plugins: [toolPlugin({ tools: { act }, defaultApproval: 'approved' })],
    })
    await engine.sendMessage('go')
    expect(warnings()).toEqual([expect.stringContaining('The model called "nowhere"')])
    engine.dispose()
  })
})

describe('tools of a page of which nobody may have told the model', () => {
  const converse = async (announceTools?: boolean, script = [answer('Hm.')]) => {
    const engine = createMessageEngine({
      transport: scriptedTransport(script),
      plugins: [
        toolPlugin({
          tools: { act },
          defaultApproval: 'approved',
          ...(announceTools !== undefined && { announceTools }),
        }),
      ],
    })
    await engine.sendMessage('go')
    engine.dispose()
  }
  const called = [callTools({ toolCallId: '1', toolName: 'act', input: {} }), answer('Hm.')]

  it('are not told of where it is said who does, or one is called, or no page is there', async () => {
    await converse()
    vi.stubGlobal('document', {})
    await converse(true)
    await converse(false)
    await converse(undefined, called)
    expect(warnings()).toEqual([])
  })

  it('are told of once, with what to write', async () => {
    vi.stubGlobal('document', {})
    await converse()
    await converse()
    expect(warnings()).toEqual([expect.stringMatching(/\(act\).*announceTools: true/)])
  })
})

describe('a failed command', () => {
  const failing = (name: string) =>
    createMessageEngine({
      transport: scriptedTransport([]),
      plugins: [{ name, commands: { act: () => Promise.reject(new Error('disk full')) } }],
    })

  it('is told of once when nobody looks at its result', async () => {
    const engine = failing('unread')
    for (let time = 0; time < 2; time++) {
      void engine.runPluginCommand('unread', 'act')
      await vi.advanceTimersByTimeAsync(1_000)
    }
    // Files of tests share a process: what another one left may be told of meanwhile.
    expect(warnings().filter((text) => text.includes('unread.act'))).toEqual([
      expect.stringContaining('The command unread.act failed (command_failed), and nobody looked'),
    ])
  })

  it('is not when somebody does', async () => {
    const engine = failing('read')
    expect((await engine.runPluginCommand('read', 'act')).success).toBe(false)
    await vi.advanceTimersByTimeAsync(10_000)
    expect(warnings()).toEqual([])
  })
})

describe('a response that was paused, and whose route does not say so', () => {
  it('is told of once, with the line that says so', async () => {
    vi.useRealTimers()
    vi.resetModules()
    const { createContinuingEngine, endedAs, searching } = await import('../test/paused-steps.ts')
    const responses = [endedAs({}, searching('s1')), endedAs({}, searching('s2'))]
    const { engine } = createContinuingEngine(responses)
    await engine.sendMessage('go')
    await engine.sendMessage('again')
    const told = warnings().filter((text) => text.includes('messageMetadata: finishMetadata'))
    expect(told).toHaveLength(1)
  })
})

describe('in production', () => {
  it('nothing is told', async () => {
    vi.stubEnv('NODE_ENV', 'production')
    vi.resetModules()
    const production = await import('./approval/evaluate-approval.ts')
    const call = { toolName: 'destroy', toolCallId: '1', input: {} }
    const verdict = await production.evaluateApproval(call, {
      defaultApproval: 'approved',
      owner: {},
    })
    expect(verdict).toEqual({ type: 'run', by: 'default' })
    expect(warnings()).toEqual([])
  })
  it('an error about the app’s own code has its code and details, and no words', async () => {
    const mistake = {
      toolName: 'act',
      toolCallId: '1',
      outcome: 'yes_always',
      scope: { covers: 'tool', uses: 0 },
    }
    const { readDecision } = await import('./plugins/tools/plan-decisions.ts')
    expect(() => readDecision(mistake)).toThrow(
      '"scope.uses" must be a whole number of at least 1.',
    )

    vi.stubEnv('NODE_ENV', 'production')
    vi.resetModules()
    const production = await import('./plugins/tools/plan-decisions.ts')
    const { EngineError } = await import('./errors.ts')
    expect(() => production.readDecision(mistake)).toThrow(
      new EngineError('invalid_argument', false, { details: { field: 'scope.uses' } }),
    )
    expect(() => production.readDecision(mistake)).toThrow(/^invalid_argument$/)
  })
})

describe('a store that is no storage', () => {
  it('is refused in words that name defineStorage', () => {
    const store = { list: async () => [], get: async () => undefined, write: async () => undefined }
    const make = () =>
      // What JavaScript lets through.
      createMessageEngine({
        id: 'chat',
        transport: scriptedTransport([]),
        storage: store as unknown as EngineStorage,
      })
    expect(make).toThrow(
      expect.objectContaining({
        code: 'invalid_argument',
        message: expect.stringContaining('defineStorage'),
      }),
    )
  })
})
