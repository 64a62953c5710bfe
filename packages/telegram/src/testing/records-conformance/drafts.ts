import assert from 'node:assert/strict'
import { recordsTest, type RecordsTest } from './records-test.ts'

/** Messages that show an answer that is being written. */
export const draftTests: readonly RecordsTest[] = [
  recordsTest('know the draft of a task until it is forgotten', async (tested) => {
    const { one, same, stranger } = tested
    assert.equal(await one.drafts.find('a'), undefined)
    await one.drafts.note('a', { chatId: 11, messageId: 101 })
    await one.drafts.note('b', { chatId: -900, messageId: 102 })
    await one.drafts.note('a', { chatId: 11, messageId: 103 })
    assert.deepEqual(await same.drafts.find('a'), { chatId: 11, messageId: 103 })
    assert.deepEqual((await same.drafts.taskIds()).toSorted(), ['a', 'b'])
    assert.equal(await stranger.drafts.find('a'), undefined)
    assert.deepEqual(await stranger.drafts.taskIds(), [])
    await stranger.drafts.forget('a')
    await same.drafts.forget('a')
    await same.drafts.forget('a')
    assert.equal(await one.drafts.find('a'), undefined)
    assert.deepEqual(await one.drafts.taskIds(), ['b'])
  }),
]
