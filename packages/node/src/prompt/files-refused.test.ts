import { expect, it } from 'vitest'
import { FilesRefusedError } from './files-refused.ts'

const filesOf = (count: number) =>
  Array.from({ length: count }, (_, n) => ({
    filename: `${n}-${'x'.repeat(1_000)}.ogg`,
    mediaType: 'audio/ogg',
  }))

it.each(['model', 'fetch', 'accepted'] as const)(
  'thousands of refused files make no long message: %s',
  (reason) => {
    const { message, files } = new FilesRefusedError(reason, filesOf(3_000))
    expect(message.length).toBeLessThan(1_500)
    expect(message).toContain('and 2995 more')
    expect(files).toHaveLength(50)
  },
)

it('a few are all named', () => {
  const files = [1, 2, 3].map((n) => ({ filename: `${n}.ogg`, mediaType: 'audio/ogg' }))
  expect(new FilesRefusedError('model', files).message).toContain(
    '1.ogg (audio/ogg), 2.ogg (audio/ogg), 3.ogg (audio/ogg).',
  )
})
