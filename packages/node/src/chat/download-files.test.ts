import { once } from 'node:events'
import { createServer, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import { describe, expect, onTestFinished, test } from 'vitest'
import { rawChat, readEvents } from '../../test/raw-chat.ts'
import { scriptedModel } from '../../test/scripted-model.ts'
import { serveChat } from '../../test/serve-chat.ts'
import { downloadFiles, type DownloadFilesOptions } from './download-files.ts'
import { isPublicAddress } from './public-address.ts'

/** Nothing leaves this machine: its own address counts as public here, and another one as private. */
const PUBLIC = '127.0.0.1'
const PRIVATE = '127.0.0.2'

async function serve(listener: RequestListener): Promise<number> {
  const server = createServer(listener).listen(0, PUBLIC)
  await once(server, 'listening')
  onTestFinished(() => void server.close())
  return (server.address() as AddressInfo).port
}

/** Fetches one file; names lead where they are said to, one answer after the other. */
function setUp(names: Record<string, string[]>, more: Partial<DownloadFilesOptions> = {}) {
  const asked: string[] = []
  const download = downloadFiles({
    allow: ({ hostname }) => hostname.endsWith('.example') || hostname === PRIVATE,
    isPublic: (address) => address === PUBLIC,
    resolve: async (name) => {
      asked.push(name)
      const address = names[name]?.shift()
      return address === undefined ? [] : [{ address, family: 4 }]
    },
    ...more,
  })
  const fetchFile = async (url: string) => {
    const [file] = await download([{ url: new URL(url), isUrlSupportedByModel: false }])
    return file && { text: Buffer.from(file.data).toString(), mediaType: file.mediaType }
  }
  return { asked, fetchFile, download }
}

describe('a file of a page', () => {
  test('is fetched from the address that was checked, whatever its name leads to later', async () => {
    const port = await serve((request, response) => {
      response.setHeader('content-type', 'image/png').end(`for ${request.headers.host}`)
    })
    const { asked, fetchFile } = setUp({ 'files.example': [PUBLIC, PRIVATE] })
    const file = await fetchFile(`http://files.example:${port}/a.png`)
    expect(file).toEqual({ text: `for files.example:${port}`, mediaType: 'image/png' })
    expect(asked).toEqual(['files.example'])
    await expect(fetchFile(`http://files.example:${port}/a.png`)).rejects.toThrow('public internet')
  })

  test('is not fetched where one of its addresses is private, and not by an address either', async () => {
    let requests = 0
    const port = await serve((_request, response) => {
      requests += 1
      response.end('secret')
    })
    const both = [PUBLIC, PRIVATE].map((address) => ({ address, family: 4 }))
    const { fetchFile } = setUp({}, { resolve: async () => both })
    await expect(fetchFile(`http://files.example:${port}/`)).rejects.toThrow('public internet')
    await expect(fetchFile(`http://${PRIVATE}:${port}/`)).rejects.toThrow('public internet')
    expect(requests).toBe(0)
  })

  test('is checked anew at each redirect', async () => {
    let requests = 0
    const inside = await serve((_request, response) => {
      requests += 1
      response.end('secret')
    })
    const port = await serve(({ url = '' }, response) => {
      const to = new URL(url, 'http://unused').searchParams.get('to')
      if (to === null) response.end('the file')
      else response.writeHead(302, { location: to }).end()
    })
    const names = () => ({ 'files.example': [PUBLIC, PUBLIC], 'inside.example': [PRIVATE] })
    const at = (to: string) => `http://files.example:${port}/?to=${encodeURIComponent(to)}`
    expect(await setUp(names()).fetchFile(at('/there'))).toMatchObject({ text: 'the file' })
    for (const to of [`http://inside.example:${inside}/`, `http://${PRIVATE}:${inside}/`]) {
      await expect(setUp(names()).fetchFile(at(to))).rejects.toThrow('public internet')
    }
    for (const to of ['http://other.test/', 'file:///etc/passwd', 'http://a:b@files.example/']) {
      await expect(setUp(names()).fetchFile(at(to))).rejects.toThrow('not allowed')
    }
    const round = { 'files.example': Array.from({ length: 10 }, () => PUBLIC) }
    const again = setUp(round).fetchFile(at(`http://files.example:${port}/?to=/%3Fto=/`))
    expect(await again).toMatchObject({ text: 'the file' })
    expect(requests).toBe(0)
  })

  test('is bounded in bytes and time, and must be there', async () => {
    const port = await serve(({ url }, response) => {
      if (url === '/missing') response.writeHead(404).end()
      else if (url === '/large') response.end('x'.repeat(101))
    })
    const bounds = { maxBytes: 100, timeoutMs: 50 }
    const names = { 'files.example': [PUBLIC, PUBLIC, PUBLIC] }
    const { fetchFile } = setUp(names, bounds)
    await expect(fetchFile(`http://files.example:${port}/missing`)).rejects.toThrow('404')
    await expect(fetchFile(`http://files.example:${port}/large`)).rejects.toThrow('over 100 bytes')
    await expect(fetchFile(`http://files.example:${port}/silent`)).rejects.toThrow('abort')
  })

  test('is left to a model that fetches it itself', async () => {
    const { download, asked } = setUp({})
    const url = new URL('http://files.example/')
    expect(await download([{ url, isUrlSupportedByModel: true }])).toEqual([null])
    expect(asked).toEqual([])
  })
})

test.each([
  ['93.184.215.14', true],
  ['2606:2800:21f:cb07:6820:80da:af6b:8b2c', true],
  ['127.0.0.1', false],
  ['0.0.0.0', false],
  ['10.1.2.3', false],
  ['100.100.100.200', false],
  ['169.254.169.254', false],
  ['172.31.255.255', false],
  ['192.168.0.1', false],
  ['224.0.0.1', false],
  ['255.255.255.255', false],
  ['::', false],
  ['::1', false],
  ['::ffff:127.0.0.1', false],
  ['::ffff:7f00:1', false],
  ['64:ff9b::a00:1', false],
  ['fd00:ec2::254', false],
  ['fe80::1', false],
  ['ff02::1', false],
  ['2002:7f00:1::', false],
  ['2001:db8::1', false],
  ['files.example', false],
])('%s is public: %s', (address, isPublic) => {
  expect(isPublicAddress(address)).toBe(isPublic)
})

describe('a message with the address of a file', () => {
  const parts = (port: number) => [
    { type: 'file' as const, mediaType: 'image/png', url: `http://127.0.0.1:${port}/a.png` },
  ]

  test('makes the server fetch nothing by itself', async () => {
    let requests = 0
    const port = await serve((_request, response) => {
      requests += 1
      response.end('secret')
    })
    const { api, errors } = await serveChat({ model: scriptedModel(['Seen.']) })
    const response = await rawChat(api).post([{ id: 'u', role: 'user', parts: parts(port) }])
    expect(await readEvents(response).rest()).toContain('"type":"error"')
    expect(errors).toMatchObject([
      { cause: { message: expect.stringContaining('downloadFiles({ allow })') } },
    ])
    expect(requests).toBe(0)
  })

  test('has it fetched where the app says so', async () => {
    const model = scriptedModel(['Seen.'])
    const data = new Uint8Array([137, 80, 78, 71])
    const download = async () => [{ data, mediaType: 'image/png' }]
    const { api } = await serveChat({ model, download })
    const response = await rawChat(api).post([{ id: 'u', role: 'user', parts: parts(1) }])
    expect(await readEvents(response).rest()).toContain('Seen.')
    expect(JSON.stringify(model.doStreamCalls[0]?.prompt)).toContain('image/png')
  })
})
