import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { createMessageEngine, previewOf, toolPlugin, type ToolCallPart } from '@assent/engine'
import { answer, callTools, scriptedTransport, untilState } from '@assent/engine/testing'
import { isStepCount, streamText } from 'ai'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { createScratch, type Scratch } from '../../node/test/scratch.ts'
import { scriptedModel, type ModelStep } from '../../node/test/scripted-model.ts'
import { createWorkspaceTools } from './create-workspace-tools.ts'
import type { Refusal } from './refusal.ts'

let scratch: Scratch
const refusals: Refusal[] = []

beforeEach(() => {
  refusals.length = 0
  scratch = createScratch()
  scratch.write({ 'a.txt': 'one\n', '.env': 'TOKEN=abcdefgh12345678\n' })
})
afterEach(() => scratch.remove())

const workspace = () =>
  createWorkspaceTools({ root: scratch.path, onRefused: (refusal) => refusals.push(refusal) })
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
