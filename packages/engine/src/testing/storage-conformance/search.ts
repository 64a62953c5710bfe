import { fail } from './check.ts'
import { storageTest, type StorageTest } from './storage-test.ts'

/** Texts, and what they are looked for by. */
const TEXTS: readonly (readonly [text: string, wanted: readonly string[]])[] = [
  ['The Marigold is in bloom.', ['marigold', 'MARIGOLD', 'old is in', '.']],
  ['100% of a_b \\ "c"\n\td', ['100%', 'a_b', '\\ "C', '"\n\t']],
  ['ÄRGER in Ålesund, naïve', ['ärger', 'åLESUND', 'NAÏVE']],
  ['会话 and Привет', ['话 and', 'ПРИВЕТ']],
]

export const searchTests: readonly StorageTest[] = [
  storageTest('finds every text that it has, where it can look for texts', async (storage) => {
    for (const [index, [text]] of TEXTS.entries()) {
      const put = new Map([['x', { part: [{ text }] }]])
      await storage.write(`one/${index}`, { put })
      await storage.write(`two/${index}`, { put })
    }
    for (const [index, [text, wanted]] of TEXTS.entries()) {
      for (const one of [text, ...wanted]) {
        const found = await storage.search?.(one, 'one/')
        if (found && !found.includes(`one/${index}`)) fail(`does not find ${JSON.stringify(one)}`)
        const other = found?.find((name) => !name.startsWith('one/'))
        if (other !== undefined) fail(`looks for ${JSON.stringify(one)} in ${other}, too`)
      }
    }
    const none = await storage.search?.('that is nowhere', 'one/')
    if (none && none.length > 0) fail(`finds ${none.join(', ')} by a text that is nowhere`)
  }),
]
