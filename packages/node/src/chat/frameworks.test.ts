import { jsonSchema, tool } from 'ai'
import { describe, expect, test } from 'vitest'
import { connectEngine } from '../../test/chat-client.ts'
import { checkMount } from '../../test/mount-checks.ts'
import { mounts } from '../../test/mounts.ts'
import { scriptedModel } from '../../test/scripted-model.ts'
import { SECRET, serveListener } from '../../test/serve-chat.ts'
import { talkingModel } from '../../test/talking-model.ts'
import type { ChatHandlerOptions } from './chat-options.ts'
import { createChatHandler } from './create-chat-handler.ts'

describe.each(mounts)('a chat served by %s', (_, mount) => {
  async function serve(options: ChatHandlerOptions): Promise<string> {
    const handler = createChatHandler({ approvalSecret: SECRET, ...options })
    return `${await serveListener(await mount(handler))}/api/chat`
  }

  checkMount(async (options) => {
    const { model, answer } = talkingModel()
    return { api: await serve({ model, ...options }), answer }
  })

  test('asks, runs and answers over several requests', async () => {
    const sent: string[] = []
    const send = tool({
      inputSchema: jsonSchema<{ to: string }>({ type: 'object' }),
      execute: ({ to }) => {
        sent.push(to)
        return 'sent'
      },
    })
    const model = scriptedModel([[['1', 'send', { to: 'ada' }]], 'Sent.'])
    const toolApproval = { send: 'user-approval' as const }
    const page = connectEngine(
      await serve({ model, tools: { send }, ledger: 'memory', toolApproval }),
    )
    expect(await page.engine.sendMessage('go')).toMatchObject({ requestState: 'paused' })
    await page.resume({ toolCallId: '1' })
    await page.completed()
    expect(sent).toEqual(['ada'])
    expect(page.text()).toBe('Sent.')
  })
})
