import type { UIMessage } from 'ai'
import { expect, test } from 'vitest'
import { connectEngine } from '../../test/chat-client.ts'
import { rawChat, readEvents, userMessage } from '../../test/raw-chat.ts'
import { serveChat } from '../../test/serve-chat.ts'
import { strictProvider, type ProviderRefusal } from '../../test/strict-provider.ts'

const VOICE = { filename: 'voice.ogg', mediaType: 'audio/ogg', url: 'data:audio/ogg;base64,T2dn' }
const ZIP = {
  filename: 'all.zip',
  mediaType: 'application/zip',
  url: 'data:application/zip;base64,UEsD',
}
const PNG = { filename: 'a.png', mediaType: 'image/png', url: 'data:image/png;base64,iVBORw0K' }

type File = Omit<Extract<UIMessage['parts'][number], { type: 'file' }>, 'type'>

const withFile = (text: string, file: File): UIMessage => ({
  id: `u-${text}`,
  role: 'user',
  parts: [
    { type: 'text', text },
    { type: 'file', ...file },
  ],
})

async function start(
  refuse?: (messages: string) => ProviderRefusal | undefined,
  options: Partial<Parameters<typeof serveChat>[0]> = {},
) {
  const { model, asked } = await strictProvider(refuse)
  const served = await serveChat({ model, ...options })
  const say = async (messages: UIMessage[]) =>
    readEvents(await rawChat(served.api).post(messages)).rest()
  return { ...served, asked, say }
}

test.each([VOICE, ZIP])(
  'what the model does not take ($mediaType) fails its own message, and no later one',
  async (file) => {
    const { say, asked } = await start()
    const events = await say([withFile('Listen', file)])
    expect(events).toContain(`The model can’t read ${file.filename} (${file.mediaType}).`)
    expect(events).toContain('"kind":"files"')
    expect(await say([withFile('Listen', file), userMessage('Hello?')])).toContain('said 1')
    expect(asked.join()).toContain(
      `[A file was left out: ${file.filename}, ${file.mediaType}, which this model does not take]`,
    )
  },
)

test.each([
  { status: 400, message: 'Invalid MIME type. Only image types are supported.' },
  { status: 415, message: 'Unsupported content' },
  { status: 422, message: 'image/png cannot be processed' },
  { status: 400, message: 'Something is wrong' },
])('what the provider refuses with $status “$message” is left out later', async (refusal) => {
  const { say, asked } = await start((json) => (json.includes('image_url') ? refusal : undefined))
  const first = withFile('Look', PNG)
  expect(await say([first])).toContain('"type":"error"')
  expect(await say([first, userMessage('Hello?')])).toContain('said')
  expect(asked).toHaveLength(3)
  expect(asked[2]).toContain('[A file was left out: a.png, image/png')
})

test('what the model takes of an earlier message stays while another file is refused', async () => {
  const { say, asked } = await start()
  const messages = [withFile('Look', PNG), withFile('Listen', VOICE), userMessage('Hello?')]
  expect(await say(messages)).toContain('said 1')
  expect(asked[0]).toContain('image_url')
  expect(asked[0]).toContain('[A file was left out: voice.ogg')
})

test('a file that cannot be fetched fails its own message, and no later one', async () => {
  const { say, asked } = await start()
  const pdf = { filename: 'a.pdf', mediaType: 'application/pdf', url: 'http://127.0.0.1:1/a.pdf' }
  expect(await say([withFile('Read', pdf)])).toContain('couldn’t be fetched')
  expect(await say([withFile('Read', pdf), userMessage('Hello?')])).toContain('said 1')
  expect(asked[0]).toContain('[A file was left out: a.pdf, application/pdf, which could not be')
})

test('an address that is none is refused at once, and left out later', async () => {
  const { api, say } = await start()
  const lost = { mediaType: 'image/png', url: '/files/1.png' }
  const refused = await rawChat(api).post([withFile('Look', lost)])
  expect(refused.status).toBe(415)
  expect(await say([withFile('Look', lost), userMessage('Hello?')])).toContain('said 1')
})

test('only accepted files come in; an earlier other one is left out', async () => {
  const { api, say, asked } = await start(undefined, { acceptedMedia: ['image/*'] })
  const refused = await rawChat(api).post([withFile('Listen', VOICE)])
  expect(refused.status).toBe(415)
  expect(await refused.json()).toMatchObject({
    error: {
      code: 'files-refused',
      message: expect.stringContaining(
        'voice.ogg (audio/ogg) isn’t supported here. Supported: image/*.',
      ),
    },
  })
  const messages = [withFile('Listen', VOICE), withFile('Look', PNG)]
  expect(await say(messages)).toContain('said 1')
  expect(asked[0]).toContain('image_url')
  expect(asked[0]).toContain('[A file was left out: voice.ogg')
})

test('a page is told of the files, so that it can offer to send the message without them', async () => {
  const { api } = await start()
  const { engine, text } = connectEngine(api)
  const message = withFile('Listen', VOICE)
  expect(await engine.sendMessage(message)).toMatchObject({ requestState: 'error' })
  expect(engine.getState().error).toMatchObject({
    code: 'stream_error',
    retryable: false,
    details: { kind: 'files', files: [{ filename: 'voice.ogg', mediaType: 'audio/ogg' }] },
  })
  const [words = { type: 'text' as const, text: '' }] = message.parts
  const [id = ''] = engine.getState().messages.map((one) => one.id)
  await engine.editMessage(id, { parts: [words] })
  expect(text()).toBe('said 1')
})
