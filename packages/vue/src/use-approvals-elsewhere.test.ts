import {
  approvalRequestChunks,
  responseChunks,
  scriptedTransport,
  stepChunks,
  toolCallChunks,
} from '@assent/engine/testing'
import { expect, test } from 'vitest'
import { effectScope } from 'vue'
import { useApprovals } from './use-approvals.ts'
import { useMessage } from './use-message.ts'

test('the page says the risk and the sentence of a call that a plain AI SDK route asks about', async () => {
  const call = { toolCallId: '1', toolName: 'deleteNote', input: { title: 'Rent' } }
  const asks = approvalRequestChunks({ toolCallId: '1', approvalId: 'a' })
  const response = responseChunks(
    { finishReason: 'tool-calls' },
    stepChunks(toolCallChunks(call), asks),
  )
  const scope = effectScope()
  await scope.run(async () => {
    const chat = useMessage({
      transport: scriptedTransport([response]),
      knownTools: ['deleteNote'],
      toolOptions: {
        deleteNote: {
          risk: 'destroy',
          summary: ({ title }) => `Delete “${title}”`,
        },
      },
    })
    const { waiting } = useApprovals(chat)
    await chat.sendMessage('go')
    expect(waiting.value).toMatchObject([
      { toolName: 'deleteNote', risk: 'destroy', summary: 'Delete “Rent”', isElsewhere: true },
    ])
  })
  scope.stop()
})
