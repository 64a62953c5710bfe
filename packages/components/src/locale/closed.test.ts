import { expect, test } from 'vitest'
import { en } from './en.ts'
import { zhCN } from './zh-cn.ts'
import { zhTW } from './zh-tw.ts'

test('a sentence that ends with a mark of its own gets no second one', () => {
  expect(en.announce.asksAnswer('What to pack for Lisbon?')).toBe(
    'Needs answer: What to pack for Lisbon?',
  )
  expect(en.announce.denied('Delete a.txt')).toBe('Denied: Delete a.txt.')
  expect(zhCN.announce.asksAnswer('带什么去里斯本？')).toBe('需要回答：带什么去里斯本？')
  expect(zhTW.announce.denied('刪除 a.txt')).toBe('已拒絕：刪除 a.txt。')
})
