import { EngineError } from '@assent/engine'
import { expect, test, vi } from 'vitest'
import { page } from 'vitest/browser'
import { createChatDouble } from '../../test/chat-double.ts'
import { text, user } from '../../test/fixtures.ts'
import { mountChat } from '../../test/mount.ts'

const button = (name: string) => page.getByRole('button', { name, exact: true })
const file = (filename: string, mediaType: string) => ({
  type: 'file' as const,
  filename,
  mediaType,
  url: `data:${mediaType};base64,AAAA`,
})
const voice = file('voice.ogg', 'audio/ogg')
const photo = file('a.png', 'image/png')

/** A turn that failed of the files of its message. */
function refused(
  parts: Parameters<typeof user>[1] | readonly unknown[],
  details: Readonly<Record<string, unknown>> = {
    kind: 'files',
    files: [{ filename: 'voice.ogg', mediaType: 'audio/ogg' }],
  },
) {
  const message = { ...user('u', ''), parts: [...(parts as [])], metadata: { from: 'app' } }
  return createChatDouble({
    requestState: 'error',
    error: new EngineError('stream_error', 'The model can’t read voice.ogg.', { details }),
    messages: [user('earlier', 'Hello'), message],
  })
}

test('a message whose file cannot be read can be sent without it; other files stay', async () => {
  const double = refused([text('Listen'), voice, photo])
  await mountChat(double)
  await expect.element(button('Try again')).toBeVisible()
  await button('Send without the file').click()
  expect(double.calls).toEqual([
    {
      method: 'editMessage',
      args: ['u', { parts: [text('Listen'), photo], metadata: { from: 'app' } }],
    },
  ])
})

test('all files go when it is not said which one', async () => {
  const double = refused([text('Listen'), voice, photo], { kind: 'files' })
  await mountChat(double)
  await button('Send without the files').click()
  expect(double.calls[0]?.args[1]).toMatchObject({ parts: [text('Listen')] })
})

test('a message that is nothing but the file can be taken out', async () => {
  const double = refused([voice])
  await mountChat(double)
  await button('Remove the message').click()
  expect(double.calls).toEqual([{ method: 'setMessages', args: [[user('earlier', 'Hello')]] }])
})

test.for(['files', 'context'] as const)(
  'a new conversation is offered where the app can begin one: %s',
  async (kind) => {
    const double = refused([text('Listen'), voice], { kind })
    const onNewConversation = vi.fn()
    await mountChat(double, { props: { onNewConversation } })
    await button('New conversation').click()
    expect(onNewConversation).toHaveBeenCalledOnce()
  },
)

test('nothing of this is offered for other failures, nor a new conversation that nobody can begin', async () => {
  const double = refused([text('Listen'), voice], {})
  await mountChat(double, { props: { onNewConversation: () => undefined } })
  await expect.element(button('Try again')).toBeVisible()
  expect(button('Send without the file').elements()).toHaveLength(0)
  expect(button('New conversation').elements()).toHaveLength(0)
  const other = refused([text('Listen'), voice])
  await mountChat(other)
  expect(button('New conversation').elements()).toHaveLength(0)
})
