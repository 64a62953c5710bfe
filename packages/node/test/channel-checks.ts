import type { ChannelPlace, ChannelTable } from '@assent/engine/storage'
import { expect, it } from 'vitest'

/** One channel table as three processes have it, two of which speak. */
export interface TestedChannels {
  readonly tables: readonly [ChannelTable, ChannelTable, ChannelTable]
  /** Takes away what was said, as after a minute. */
  forgetSaid(): Promise<void>
  /** Takes everything away, as a crash of the database does. */
  forgetAll(): Promise<void>
}

const NAME = 'assent:c'

/** What holds of each channel table. */
export function checkChannels(open: () => Promise<TestedChannels>): void {
  const say = (table: ChannelTable, ...texts: string[]) =>
    table.add(texts.map((text) => ({ channel: NAME, text })))
  const read = async (table: ChannelTable, place?: ChannelPlace) => {
    const [news] = await table.read(new Map([[NAME, place]]))
    if (!news) throw new Error('There is no such channel.')
    return news
  }
  const joined = async () => {
    const opened = await open()
    for (const table of opened.tables) await table.join([NAME])
    return opened
  }

  it('tells what others said after a place, in their order, and how many listen', async () => {
    const [one, two] = (await joined()).tables
    await say(one, 'before')
    const from = await read(two)
    expect(from).toMatchObject({ texts: [], others: 2, isMissed: false })
    const texts = ['b', '', 'a', 'null\u0000', 'half \ud800', '{"x":1}']
    await say(one, ...texts)
    await say(two, 'own')
    const news = await read(two, from.place)
    expect(news).toMatchObject({ texts, isMissed: false })
    expect(await read(two, news.place)).toMatchObject({ texts: [], isMissed: false })
  })

  it('loses nothing of what two say at once', async () => {
    const [one, two, reader] = (await joined()).tables
    let { place } = await read(reader)
    const heard: string[] = []
    const over = new AbortController()
    const look = async (): Promise<void> => {
      const news = await read(reader, place)
      expect(news.isMissed).toBe(false)
      heard.push(...news.texts)
      ;({ place } = news)
    }
    const looking = (async () => {
      while (!over.signal.aborted) await look()
    })()
    const talk = async (table: ChannelTable, name: string): Promise<void> => {
      for (let count = 0; count < 40; count++) await say(table, `${name}${count}`)
    }
    await Promise.all([talk(one, 'a'), talk(two, 'b')])
    over.abort()
    await looking
    await look()
    for (const name of ['a', 'b']) {
      const own = heard.filter((text) => text.startsWith(name))
      expect(own).toEqual(Array.from({ length: 40 }, (_, count) => `${name}${count}`))
    }
  })

  it('says that something was missed when it is no longer there', async () => {
    const opened = await joined()
    const [one, two] = opened.tables
    const { place } = await read(two)
    await say(one, 'a', 'b')
    await opened.forgetSaid()
    await say(one, 'c')
    expect(await read(two, place)).toMatchObject({ texts: ['c'], isMissed: true })
  })

  it('says that something was missed when all of it was lost', async () => {
    const opened = await joined()
    const [one, two] = opened.tables
    await say(one, 'a')
    const { place } = await read(two)
    await opened.forgetAll()
    await two.join([NAME])
    await say(one, 'b', 'c')
    const news = await read(two, place)
    expect(news).toMatchObject({ texts: [], isMissed: true, others: 0 })
    await say(one, 'd')
    expect(await read(two, news.place)).toMatchObject({ texts: ['d'], isMissed: false })
  })

  it('counts those who have left no more', async () => {
    const [one, two] = (await joined()).tables
    await two.leave([NAME])
    expect(await read(one)).toMatchObject({ others: 1 })
  })
}
