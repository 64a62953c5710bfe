import type { FileUIPart } from 'ai'
import { expect, test, vi } from 'vitest'
import { page, userEvent } from 'vitest/browser'
import { render, type RenderResult } from 'vitest-browser-vue'
import { defineComponent, h, ref } from 'vue'
import '../style/index.css'
import AsComposer from './AsComposer.vue'
import type { UploadOptions } from './attachments/attachment-types.ts'
import type { AsComposerProps } from './composer-types.ts'

const PIXEL =
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=='

function mount(
  props: AsComposerProps & { files?: FileUIPart[] } = {},
): Promise<RenderResult<object>> {
  return render(AsComposer, { props: { attach: true, ...props } })
}

const field = () => page.getByRole('textbox', { name: 'Message' })
const list = () => page.getByRole('list', { name: 'Attached files' })
const rows = () => list().getByRole('listitem')
const button = (name: string) => page.getByRole('button', { name, exact: true })

function file(name: string, type: string, content = 'words'): File {
  return new File([content], name, { type })
}

function picture(name: string): File {
  return new File([Uint8Array.from(atob(PIXEL), (letter) => letter.charCodeAt(0))], name, {
    type: 'image/png',
  })
}

/** What a person carries to the field. */
function carried(...files: File[]): DataTransfer {
  const data = new DataTransfer()
  for (const one of files) data.items.add(one)
  return data
}

function paste(...files: File[]): Event {
  const event = new ClipboardEvent('paste', {
    clipboardData: carried(...files),
    bubbles: true,
    cancelable: true,
  })
  field().element().dispatchEvent(event)
  return event
}

function drag(type: string, ...files: File[]): Event {
  const event = new DragEvent(type, {
    dataTransfer: carried(...files),
    bubbles: true,
    cancelable: true,
  })
  field().element().dispatchEvent(event)
  return event
}

test('takes no file unless it is told to', async () => {
  await mount({ attach: false })
  expect(button('Attach files').elements()).toHaveLength(0)
  expect(paste(picture('a.png')).defaultPrevented).toBe(false)
  expect(drag('drop', picture('a.png')).defaultPrevented).toBe(false)
  expect(list().elements()).toHaveLength(0)
})

test('takes files from the picker, and sends them with or without words', async () => {
  const { emitted } = await mount()
  const input = document.querySelector<HTMLInputElement>('[data-slot="file-input"]')!
  await userEvent.upload(input, [file('plan.txt', 'text/plain', 'Plan'), picture('cat.png')])
  await expect.element(rows().nth(1)).toMatchTextContent('cat.png')
  await expect.element(field()).toHaveFocus()
  await userEvent.keyboard('{Enter}')
  const [, files] = emitted<[string, FileUIPart[]]>('send')![0]!
  expect(emitted('send')![0]![0]).toBe('')
  expect(files).toEqual([
    {
      type: 'file',
      mediaType: 'text/plain',
      filename: 'plan.txt',
      url: `data:text/plain;base64,${btoa('Plan')}`,
    },
    {
      type: 'file',
      mediaType: 'image/png',
      filename: 'cat.png',
      url: `data:image/png;base64,${PIXEL}`,
    },
  ])
  await expect.poll(() => list().elements()).toHaveLength(0)
  // The same file can be chosen again.
  await userEvent.upload(input, file('plan.txt', 'text/plain', 'Plan'))
  await expect.element(rows().first()).toMatchTextContent('plan.txt')
})

test('takes a pasted picture and shows it, but a pasted text is a text', async () => {
  await mount()
  await field().click()
  expect(paste(picture('shot.png')).defaultPrevented).toBe(true)
  await expect.element(rows().first()).toMatchTextContent('shot.png')
  const image = list().element().querySelector('img')!
  await expect.poll(() => image.naturalWidth).toBe(1)
  expect(image.src).toMatch(/^blob:/)
  // A copied table cell is also there as a picture.
  const clipboardData = carried(picture('cell.png'))
  clipboardData.setData('text/plain', '42')
  const event = new ClipboardEvent('paste', { clipboardData, bubbles: true, cancelable: true })
  field().element().dispatchEvent(event)
  expect(event.defaultPrevented).toBe(false)
  expect(rows().elements()).toHaveLength(1)
})

test('takes what is dropped, and shows where it may be dropped without moving anything', async () => {
  await mount()
  const height = () => field().element().closest('form')!.getBoundingClientRect().height
  const before = height()
  drag('dragenter', picture('a.png'))
  await expect.element(page.getByText('Drop files to attach')).toBeVisible()
  expect(height()).toBe(before)
  expect(drag('dragover', picture('a.png')).defaultPrevented).toBe(true)
  drag('dragleave', picture('a.png'))
  await expect.element(page.getByText('Drop files to attach')).not.toBeInTheDocument()
  drag('dragenter', picture('a.png'))
  expect(drag('drop', picture('a.png')).defaultPrevented).toBe(true)
  await expect.element(rows().first()).toMatchTextContent('a.png')
  await expect.element(page.getByText('Drop files to attach')).not.toBeInTheDocument()
})

test('says of each file that it does not take why not', async () => {
  const { emitted } = await mount({ accept: 'image/*,.pdf', maxFiles: 2, maxFileSize: 2_048 })
  await field().click()
  paste(
    picture('a.png'),
    file('notes.docx', 'application/x-docx'),
    file('big.pdf', 'application/pdf', 'x'.repeat(2_049)),
    file('void.pdf', 'application/pdf', ''),
    file('REPORT.PDF', ''),
    picture('c.png'),
    picture('d.png'),
  )
  const alert = page.getByRole('alert')
  await expect.element(alert).toBeVisible()
  const reasons = alert
    .getByRole('listitem')
    .elements()
    .map((item) => item.textContent)
  expect(reasons).toEqual([
    'notes.docx isn’t supported. Supported types: image/*,.pdf',
    'big.pdf is larger than 2 kB',
    'void.pdf is empty',
    'You can attach up to 2 files. Not attached: c.png and d.png',
  ])
  await expect.poll(() => rows().elements().length).toBe(2)
  await button('Dismiss').click()
  await expect.element(alert).not.toBeInTheDocument()
  await expect.element(field()).toHaveFocus()
  await userEvent.keyboard('{Enter}')
  await expect.poll(() => emitted('send')).toHaveLength(1)
})

test('takes a file away by keyboard, and keeps the focus where it can go on', async () => {
  const { emitted } = await mount()
  await field().click()
  paste(picture('a.png'), picture('b.png'), picture('c.png'))
  await expect.element(button('Remove c.png')).toBeVisible()
  await userEvent.keyboard('{Backspace}')
  await expect.element(button('Remove c.png')).toHaveFocus()
  await userEvent.keyboard('{ArrowLeft}')
  await expect.element(button('Remove b.png')).toHaveFocus()
  await userEvent.keyboard('{Delete}')
  await expect.element(button('Remove c.png')).toHaveFocus()
  await userEvent.keyboard('{Backspace}')
  await expect.element(button('Remove a.png')).toHaveFocus()
  await userEvent.keyboard('{Enter}')
  await expect.element(field()).toHaveFocus()
  expect(list().elements()).toHaveLength(0)
  expect((emitted('update:files') as unknown[][]).at(-1)).toEqual([[]])
})

test('uploads by what the app gives it: shows how far it is, and sends when it is there', async () => {
  const made = Promise.withResolvers<FileUIPart>()
  let options: UploadOptions | undefined
  const upload = vi.fn((_file: File, given: UploadOptions) => {
    options = given
    return made.promise
  })
  const { emitted } = await mount({ upload })
  await field().click()
  paste(picture('cat.png'))
  await expect.element(rows().first()).toMatchTextContent('Uploading')
  options!.onProgress(0.42)
  await expect.element(page.getByRole('progressbar', { name: 'cat.png' })).toHaveValue(42)
  await userEvent.keyboard('Look{Enter}')
  await expect.element(page.getByText('Files are still being attached')).toBeVisible()
  expect(emitted('send')).toBeUndefined()
  const part: FileUIPart = { type: 'file', mediaType: 'image/png', url: 'https://files.example/1' }
  made.resolve(part)
  await expect.element(page.getByText('Files are still being attached')).not.toBeInTheDocument()
  await userEvent.keyboard('{Enter}')
  expect(emitted('send')).toEqual([['Look', [part]]])
  expect(upload).toHaveBeenCalledOnce()
})

test('lets an upload be stopped, and one that failed be tried again', async () => {
  let isDown = true
  const signals: AbortSignal[] = []
  const upload = async (one: File, { signal }: UploadOptions): Promise<FileUIPart> => {
    signals.push(signal)
    if (one.name === 'slow.png') return new Promise(() => {})
    if (isDown) throw new Error('The server is down.')
    return { type: 'file', mediaType: one.type, filename: one.name, url: 'https://files.example/2' }
  }
  const { emitted } = await mount({ upload })
  await field().click()
  paste(picture('slow.png'))
  await button('Stop uploading slow.png').click()
  expect(signals[0]!.aborted).toBe(true)
  paste(picture('cat.png'))
  await expect
    .element(page.getByRole('alert'))
    .toMatchTextContent('Couldn’t attach cat.png: The server is down.')
  await field().click()
  await userEvent.keyboard('Look{Enter}')
  await expect.element(page.getByText(/A file couldn’t be attached/)).toBeVisible()
  expect(emitted('send')).toBeUndefined()
  isDown = false
  await button('Try cat.png again').click()
  await expect.element(rows().first()).not.toMatchTextContent('Not attached')
  await field().click()
  await userEvent.keyboard('{Enter}')
  await expect.poll(() => emitted('send')).toHaveLength(1)
})

test('binds its files, also to a deep list, and takes back what was not taken', async () => {
  const kept: FileUIPart = {
    type: 'file',
    mediaType: 'image/png',
    filename: 'kept.png',
    url: 'https://elsewhere.example/kept.png',
  }
  const files = ref<FileUIPart[]>([kept])
  const composer = ref<InstanceType<typeof AsComposer>>()
  const App = defineComponent(
    () => () =>
      h(AsComposer, {
        ref: composer,
        attach: true,
        files: files.value,
        'onUpdate:files': (next: readonly FileUIPart[]) => (files.value = [...next]),
      }),
  )
  await render(App)
  await expect.element(rows().first()).toMatchTextContent('kept.png')
  // A picture of another host would tell that host of the reader.
  expect(list().element().querySelector('img')).toBeNull()
  paste(picture('new.png'))
  await expect
    .poll(() => files.value.map(({ filename }) => filename))
    .toEqual(['kept.png', 'new.png'])
  await button('Remove kept.png').click()
  expect(files.value.map(({ filename }) => filename)).toEqual(['new.png'])
  files.value = []
  await expect.poll(() => list().elements()).toHaveLength(0)
  expect(composer.value!.giveBack('Again', [kept])).toBe(true)
  await expect.element(field()).toHaveValue('Again')
  await expect.element(rows().first()).toMatchTextContent('kept.png')
  expect(composer.value!.giveBack('Late', [])).toBe(false)
  await expect.element(field()).toHaveValue('Again')
})
