import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { createMessageEngine, previewOf, toolPlugin, type ToolCallPart } from '@assent/engine'
import { answer, callTools, scriptedTransport, untilState } from '@assent/engine/testing'
import { isStepCount, streamText } from 'ai'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { callTool } from '../test/call-tool.ts'
import { createScratch, type Scratch } from '../../node/test/scratch.ts'
import { scriptedModel, type ModelStep } from '../../node/test/scripted-model.ts'
import { createWorkspaceTools, type WorkspaceTools } from './create-workspace-tools.ts'
import type { Refusal } from './refusal.ts'

let scratch: Scratch
const refusals: Refusal[] = []

beforeEach(() => {
  refusals.length = 0
  scratch = createScratch()
  scratch.write({ 'a.txt': 'one\n', '.env': 'TOKEN=abcdefgh12345678\n' })
})
afterEach(() => scratch.remove())

const workspace = (shownFolder?: string) =>
  createWorkspaceTools({
    root: scratch.path,
    onRefused: (refusal) => refusals.push(refusal),
    ...(shownFolder !== undefined && { shownFolder }),
  })
const textOf = (path: string) => readFileSync(join(scratch.path, path), 'utf8')

describe('with streamText', () => {
  async function run(steps: readonly ModelStep[], withApproval = true) {
    const { tools, toolApproval } = workspace()
    const model = scriptedModel(steps)
    const result = streamText({
      model,
      tools,
      prompt: 'go',
      stopWhen: isStepCount(5),
      ...(withApproval && { toolApproval }),
    })
    const content = (await result.steps).flatMap((step) => step.content)
    return { content, prompts: model.doStreamCalls.map(({ prompt }) => JSON.stringify(prompt)) }
  }

  it('runs what only reads, and the model reads what came of it', async () => {
    const { prompts } = await run([
      [
        ['1', 'read', { path: 'a.txt' }],
        ['2', 'bash', { command: 'ls' }],
      ],
      'done',
    ])
    expect(prompts[1]).toContain('one\\n')
    expect(prompts[1]).toContain('a.txt')
  })

  it.each([true, false])('stops for what needs a person, toolApproval given: %s', async (given) => {
    const { content, prompts } = await run(
      [
        [
          ['1', 'write', { path: 'new.txt', content: 'x' }],
          ['2', 'read', { path: '.env' }],
          ['3', 'bash', { command: 'rm a.txt' }],
        ],
      ],
      given,
    )
    expect(content.filter(({ type }) => type === 'tool-approval-request')).toHaveLength(3)
    expect(prompts).toHaveLength(1)
    expect(existsSync(join(scratch.path, 'new.txt'))).toBe(false)
    expect(textOf('a.txt')).toBe('one\n')
  })

  it('tells the model what was refused, and goes on', async () => {
    const { prompts } = await run([
      [
        ['1', 'read', { path: '../../etc/passwd' }],
        ['2', 'bash', { command: 'rm -rf /' }],
      ],
      'I see',
    ])
    expect(prompts[1]).toContain('Refused: ../../etc/passwd is outside')
    expect(prompts[1]).toContain('/ is outside of the workspace')
    expect(refusals.map(({ code, toolCallId }) => [code, toolCallId]).toSorted()).toEqual([
      ['forbidden', '2'],
      ['outside', '1'],
    ])
  })
})

describe('a yes with streamText', () => {
  const command = ['bash', { command: 'sed -i s/one/two/ a.txt' }] as const
  type Call = readonly [name: 'bash' | 'write' | 'edit', input: Readonly<Record<string, string>>]

  /** Asks for a call, and answers yes with these tools. */
  async function approve(
    asking: WorkspaceTools,
    running: WorkspaceTools,
    meanwhile = () => {},
    [name, input]: Call = command,
  ) {
    const prompt = { role: 'user', content: 'go' } as const
    const before = textOf('a.txt')
    const asked = streamText({
      model: scriptedModel([[['1', name, input]]]),
      tools: asking.tools,
      toolApproval: asking.toolApproval,
      messages: [prompt],
    })
    const request = (await asked.content).find((part) => part.type === 'tool-approval-request')
    expect(textOf('a.txt')).toBe(before)
    meanwhile()
    const response = {
      type: 'tool-approval-response',
      approvalId: request?.approvalId ?? '',
      approved: true,
    } as const
    const model = scriptedModel(['done'])
    const answer = streamText({
      model,
      tools: running.tools,
      toolApproval: running.toolApproval,
      messages: [prompt, ...(await asked.responseMessages), { role: 'tool', content: [response] }],
    })
    await answer.steps
    return JSON.stringify(model.doStreamCalls[0]?.prompt)
  }

  it('writes what it asked about after the yes', async () => {
    const made = workspace()
    expect(await approve(made, made)).toContain('Written: a.txt.')
    expect(textOf('a.txt')).toBe('two\n')
    made.dispose()
  })

  it('writes it also after the process was started again, when it is kept what was shown', async () => {
    const kept = createScratch()
    const [asking, running] = [workspace(kept.path), workspace(kept.path)]
    expect(await approve(asking, running)).toContain('Written: a.txt.')
    expect(textOf('a.txt')).toBe('two\n')
    for (const one of [asking, running]) one.dispose()
    kept.remove()
  })

  it('writes nothing then when the changes would be other ones', async () => {
    const kept = createScratch()
    const [asking, running] = [workspace(kept.path), workspace(kept.path)]
    const prompt = await approve(asking, running, () => scratch.write({ 'a.txt': 'one\nmore\n' }))
    expect(prompt).toContain(
      'files have changed since a person was shown what it does. It changes a.txt.',
    )
    expect(textOf('a.txt')).toBe('one\nmore\n')
    for (const one of [asking, running]) one.dispose()
    kept.remove()
  })

  it('writes nothing when another process has asked: nobody knows what was shown', async () => {
    const [asking, running] = [workspace(), workspace()]
    expect(await approve(asking, running)).toContain('the server was restarted since')
    expect(textOf('a.txt')).toBe('one\n')
    asking.dispose()
    running.dispose()
  })

  describe.each<Call>([
    ['write', { path: 'a.txt', content: 'two\n' }],
    ['write', { path: 'new.txt', content: 'two\n' }],
    ['edit', { path: 'a.txt', oldText: 'one', newText: 'two' }],
  ])('to %s %j after the process was started again', (...call) => {
    const { path = '' } = call[1]

    it.each(['one, and more\n', undefined])(
      'is refused, the file being %j by then',
      async (text) => {
        const [asking, running] = [workspace(), workspace()]
        const change = () => text !== undefined && scratch.write({ [path]: text })
        expect(await approve(asking, running, change, call)).toContain(
          'the server was restarted since',
        )
        const before = path === 'a.txt' ? 'one\n' : undefined
        expect(existsSync(join(scratch.path, path)) ? textOf(path) : undefined).toBe(text ?? before)
        expect(refusals).toEqual([expect.objectContaining({ code: 'changed', toolCallId: '1' })])
      },
    )

    it('is good when it is kept what was shown, while the file is that one', async () => {
      const kept = createScratch()
      const [asking, running] = [workspace(kept.path), workspace(kept.path)]
      const change = () => scratch.write({ [path]: 'one, and more\n' })
      expect(await approve(asking, running, change, call)).toContain('changed since a person was')
      expect(textOf(path)).toBe('one, and more\n')
      await approve(asking, running, undefined, call)
      expect(textOf(path)).toBe(call[0] === 'edit' ? 'two, and more\n' : 'two\n')
      kept.remove()
    })
  })
})

describe('with the engine', () => {
  function start(calls: Parameters<typeof callTools>) {
    const { tools, toolApproval, toolOptions } = workspace()
    const transport = scriptedTransport([callTools(...calls), answer('ok')])
    const plugin = toolPlugin({ tools, toolApproval, toolOptions })
    const engine = createMessageEngine({ transport, plugins: [plugin] })
    const parts = () =>
      engine
        .getState()
        .messages.flatMap(({ parts }) => parts)
        .filter((part): part is ToolCallPart => 'toolCallId' in part)
    return { engine, parts }
  }

  it('asks with a sentence, a diff and a risk, and writes after the yes', async () => {
    const input = { path: 'a.txt', oldText: 'one', newText: 'two' }
    const { engine, parts } = start([{ toolCallId: '1', toolName: 'edit', input }])
    await engine.sendMessage('go')
    expect(engine.getState().requestState).toBe('paused')
    const [part] = parts()
    expect(part?.toolMetadata).toMatchObject({
      assent: { summary: 'Change “a.txt”', risk: 'write' },
    })
    expect(part && previewOf(part)).toEqual({
      kind: 'diff',
      files: [{ path: 'a.txt', before: 'one\n', after: 'two\n' }],
    })
    expect(textOf('a.txt')).toBe('one\n')
    await engine.runPluginCommand('tool', 'resumeToolCall', { toolCallId: '1' })
    await untilState(engine, ({ requestState }) => requestState === 'completed')
    expect(textOf('a.txt')).toBe('two\n')
    expect(parts()[0]).toMatchObject({ output: 'Changed a.txt in 1 place.' })
  })

  it('asks about a command with its diff, and writes exactly that after the yes', async () => {
    const input = { command: 'echo $RANDOM > n.txt; echo more >> a.txt' }
    const { engine, parts } = start([{ toolCallId: '1', toolName: 'bash', input }])
    await engine.sendMessage('go')
    const [part] = parts()
    expect(part?.approval).toMatchObject({ requestReason: 'It creates n.txt and changes a.txt.' })
    const preview = part && previewOf(part)
    expect(existsSync(join(scratch.path, 'n.txt'))).toBe(false)
    await engine.runPluginCommand('tool', 'resumeToolCall', { toolCallId: '1' })
    await untilState(engine, ({ requestState }) => requestState === 'completed')
    expect(preview).toEqual({
      kind: 'command',
      command: input.command,
      cwd: expect.any(String),
      files: [
        { path: 'a.txt', before: 'one\n', after: textOf('a.txt') },
        { path: 'n.txt', after: textOf('n.txt') },
      ],
    })
  })

  it('does not run a command that a person has edited into another one with other changes', async () => {
    const input = { command: 'echo more >> a.txt' }
    const { engine, parts } = start([{ toolCallId: '1', toolName: 'bash', input }])
    await engine.sendMessage('go')
    const edited = { command: 'rm a.txt' }
    await engine.runPluginCommand('tool', 'resumeToolCall', { toolCallId: '1', input: edited })
    await untilState(engine, ({ requestState }) => requestState === 'completed')
    expect(textOf('a.txt')).toBe('one\n')
    expect(parts()[0]).toMatchObject({ errorText: expect.stringContaining('nobody was asked') })
  })

  it.each([
    ['a.txt', ''],
    ['b.txt', 'nobody was asked'],
  ])(
    'writes the content as the person has edited it, in the file that was shown: %s',
    async (path, failure) => {
      const input = { path: 'a.txt', content: 'mine\n' }
      const { engine, parts } = start([{ toolCallId: '1', toolName: 'write', input }])
      await engine.sendMessage('go')
      const edited = { path, content: 'ours\n' }
      await engine.runPluginCommand('tool', 'resumeToolCall', { toolCallId: '1', input: edited })
      await untilState(engine, ({ requestState }) => requestState === 'completed')
      const [part] = parts()
      expect(part?.state === 'output-error' ? part.errorText : '').toContain(failure)
      expect(textOf('a.txt')).toBe(failure === '' ? 'ours\n' : 'one\n')
      expect(existsSync(join(scratch.path, 'b.txt'))).toBe(false)
    },
  )

  it('does not write when the file has changed since the person was asked', async () => {
    const input = { path: 'a.txt', content: 'mine\n' }
    const { engine, parts } = start([{ toolCallId: '1', toolName: 'write', input }])
    await engine.sendMessage('go')
    scratch.write({ 'a.txt': 'somebody else\n' })
    await engine.runPluginCommand('tool', 'resumeToolCall', { toolCallId: '1' })
    await untilState(engine, ({ requestState }) => requestState === 'completed')
    expect(textOf('a.txt')).toBe('somebody else\n')
    expect(parts()[0]).toMatchObject({
      state: 'output-error',
      errorText: expect.stringContaining('changed since a person was asked'),
    })
    expect(refusals).toEqual([expect.objectContaining({ code: 'changed', toolCallId: '1' })])
  })

  it.each([
    ['ls', 'read'],
    ['mkdir x', 'write'],
    ['rm -rf src', 'destroy'],
    ['git push origin main', 'send'],
    ['git push --force', 'destroy'],
    ['frobnicate', 'write'],
  ])('shows of %s the risk of what it does: %s', (command, risk) => {
    const { toolOptions } = workspace()
    const { risk: riskOf } = toolOptions.bash
    expect(typeof riskOf === 'function' ? riskOf({ command }) : riskOf).toBe(risk)
  })

  it('takes an always on a command for exactly that one', async () => {
    const { engine } = start([
      { toolCallId: '1', toolName: 'bash', input: { command: 'rm a.txt' } },
    ])
    await engine.sendMessage('go')
    for (const covers of ['tool', { '/command': { prefix: 'rm' } }] as const) {
      const payload = { toolCallId: '1', outcome: 'yes_always', scope: { covers } } as const
      expect(await engine.runPluginCommand('tool', 'resumeToolCall', payload)).toMatchObject({
        success: false,
        error: { code: 'scope_refused' },
      })
    }
    expect(textOf('a.txt')).toBe('one\n')
  })

  it.each([
    ['.env', true],
    ['src/.git/config', true],
    ['.git/HEAD', true],
    ['state:keys/server.key', true],
    ['src/id_rsa', true],
    ['src/a.ts', false],
    ['.gitignore', false],
  ])('takes an always on a folder for %s: not %s', (path, isExact) => {
    const { toolOptions } = workspace()
    for (const options of [toolOptions.read, toolOptions.write, toolOptions.edit]) {
      const { exactOnly } = options
      const input = { path, content: '', oldText: '', newText: '' }
      expect(typeof exactOnly === 'function' && exactOnly(input)).toBe(isExact)
    }
  })

  it('does not cut again what the tools have cut', async () => {
    scratch.write({ 'long.txt': 'x\n'.repeat(5_000) })
    const { engine, parts } = start([
      { toolCallId: '1', toolName: 'read', input: { path: 'long.txt' } },
    ])
    await engine.sendMessage('go')
    const [part] = parts()
    expect(String(part?.output)).toMatch(/the first 2000 of 5000 lines/)
    expect(String(part?.output).match(/Output cut/g)).toHaveLength(1)
  })
})

describe('a name with a letter that only looks Latin', () => {
  const path = 'src/\u0430pp.ts'
  const TOLD = 'а looks Latin and is another letter (U+0430).'

  it('is said to be so wherever a person decides, as that of a command is', async () => {
    scratch.write({ [path]: 'one\n' })
    const { toolApproval, toolOptions } = workspace()
    const reasons = [
      await toolApproval.write({ path, content: 'x' }, { toolCallId: '1' }),
      await toolApproval.edit({ path, oldText: 'one', newText: 'two' }, { toolCallId: '2' }),
      await toolApproval.bash({ command: `echo x > ${path}` }, { toolCallId: '3' }),
      // Only what it does shows the name.
      await toolApproval.bash({ command: `echo x | tee src/*` }, { toolCallId: '4' }),
    ]
    for (const reason of reasons) {
      expect(reason).toMatchObject({ reason: `It changes ${path}. ${TOLD}` })
    }
    const plain = await toolApproval.write({ path: 'файл.ts', content: 'x' }, { toolCallId: '5' })
    expect(plain).toMatchObject({ reason: 'It creates файл.ts.' })
    const { exactOnly } = toolOptions.write
    if (typeof exactOnly !== 'function') throw new TypeError('It does not depend on the input.')
    expect(exactOnly({ path, content: 'x' })).toBe(true)
    expect(exactOnly({ path: 'файл.ts', content: 'x' })).toBe(false)
  })
})

describe('a name that deceives', () => {
  const NAMES = [
    'a\u202Etxt.exe',
    'a\u2800.txt',
    'a\uFE0F.txt',
    'a\n.txt',
    'a\u001B[2K.txt',
    'a\u200B.txt',
    '\u2066a.txt',
  ]
  const HIDDEN = /[\p{Cc}\p{Cf}]|\u2800|\uFE0F/u

  it.each(NAMES)('is shown as it is in reason, summary and difference: %j', async (path) => {
    scratch.write({ [path]: 'one\n' })
    const { toolApproval, toolOptions } = workspace()
    const write = { path, content: 'x' }
    const edit = { path, oldText: 'one', newText: 'two' }
    const shown = [
      await toolApproval.write(write, { toolCallId: '1' }),
      await toolApproval.edit(edit, { toolCallId: '2' }),
      toolOptions.write.summary?.(write),
      toolOptions.edit.summary?.(edit),
      toolOptions.read.summary?.({ path }),
      toolOptions.bash.summary?.({ command: `cat '${path}'` }),
    ]
    for (const options of [
      await toolOptions.write.preview?.(write, { toolCallId: '1' }),
      await toolOptions.edit.preview?.(edit, { toolCallId: '2' }),
    ]) {
      expect(options).toMatchObject({ kind: 'diff' })
      if (options?.kind === 'diff') shown.push(...options.files.map((file) => file.path))
    }
    expect(shown).toHaveLength(8)
    for (const one of shown) {
      const text = typeof one === 'object' ? one.reason : one
      expect(text).toMatch(/\\(?:u[0-9a-f]{4}|n)/)
      expect(text).not.toMatch(HIDDEN)
    }
  })

  it.each(NAMES)('is covered by no standing permission: %j', (path) => {
    const { toolOptions } = workspace()
    for (const { exactOnly } of [toolOptions.write, toolOptions.edit]) {
      if (typeof exactOnly !== 'function') throw new TypeError('It does not depend on the input.')
      expect(exactOnly({ path, content: '', oldText: 'a', newText: 'b' })).toBe(true)
      expect(exactOnly({ path: 'ä b.txt', content: '', oldText: 'a', newText: 'b' })).toBe(false)
    }
  })
})

describe('an input that is none', () => {
  it.each([undefined, null, {}, { path: 1 }, { path: '' }, 'x'])(
    'is refused with its reason: %j',
    async (input) => {
      const { tools, toolApproval } = workspace()
      for (const name of ['read', 'write', 'edit', 'bash'] as const) {
        refusals.length = 0
        const approve: (input: never, call: { toolCallId: string }) => unknown = toolApproval[name]
        expect(await approve(input as never, { toolCallId: name })).toMatchObject({
          type: 'denied',
          reason: expect.stringMatching(/^Refused: the input of \w+ is not as it must be: [^[{]+$/),
        })
        expect(refusals).toMatchObject([{ code: 'invalid', toolName: name }])
      }
      const called = callTool(tools.read, input as never)
      await expect(called).rejects.toMatchObject({ name: 'WorkspaceRefusal', code: 'invalid' })
    },
  )
})
