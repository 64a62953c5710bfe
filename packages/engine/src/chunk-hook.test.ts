import { describe, expect, it } from 'vitest'
import { createMessageEngine } from './engine.ts'
import { chunkHook } from './hooks.ts'
import type { InternalPlugin, PluginContext } from './plugin.ts'
import { answer, scriptedTransport } from './testing/index.ts'

const shout: InternalPlugin = {
  onChunk: (chunk) =>
    chunk.type === 'text-delta' ? { ...chunk, delta: chunk.delta.toUpperCase() } : chunk,
}
const exclaim: InternalPlugin = {
  onChunk: (chunk) =>
    chunk.type === 'text-delta' ? { ...chunk, delta: `${chunk.delta}!` } : chunk,
}

describe('a plugin that looks at chunks', () => {
  it('changes what is made of a response, one plugin after the other', async () => {
    const engine = createMessageEngine({
      transport: scriptedTransport([answer(['a', 'b'])]),
      plugins: [exclaim, {}, shout, { ...exclaim }],
    })
    await engine.sendMessage('hi')
    expect(engine.getState().messages.at(-1)?.parts).toMatchObject([
      { type: 'step-start' },
      { type: 'text', text: 'A!!B!!' },
    ])
  })

  it('fails the turn by what it throws, and is named', async () => {
    const reader: InternalPlugin = {
      name: 'reader',
      onChunk: () => {
        throw new Error('broken')
      },
    }
    const transport = scriptedTransport([answer('a')])
    const engine = createMessageEngine({ transport, plugins: [reader] })
    expect(await engine.sendMessage('hi')).toMatchObject({
      requestState: 'error',
      error: { code: 'hook_failed', details: { plugin: 'reader', hook: 'onChunk' } },
    })
  })

  it('costs a stream nothing when there is none', () => {
    expect(chunkHook([{}, { name: 'other' }], {} as PluginContext)).toBeUndefined()
  })
})
