import { describe, expect, it } from 'vitest'
import { createToolEngine } from '../../test/tool-engine.ts'
import { callTools, untilState } from '../testing/index.ts'
import { defineStorage } from './define-storage.ts'
import { memoryStorage } from './memory-storage.ts'

describe('what is written of a conversation', () => {
  it('is not held up by the next write of a stream that has ended', async () => {
    const disk = memoryStorage()
    const { engine } = createToolEngine(
      [callTools({ toolCallId: '1', toolName: 'look', input: {} })],
      { tools: {}, callTool: () => 'seen', toolApproval: () => new Promise(() => undefined) },
      { id: 'chat', storage: defineStorage(disk) },
    )
    void engine.sendMessage('a')
    await untilState(engine, ({ processingState }) => processingState === 'calling-tools')
    await new Promise((resolve) => void setTimeout(resolve))
    expect(disk.snapshot().get('conversation/chat')?.get('turn')).toMatchObject({
      processingState: 'calling-tools',
    })
  })
})
