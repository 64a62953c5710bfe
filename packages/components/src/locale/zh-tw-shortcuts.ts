import type { ShortcutWords } from './shortcut-words.ts'

/** 繁體中文。 */
export const zhTWShortcuts: ShortcutWords = {
  title: '鍵盤快速鍵',
  close: '關閉',
  anywhere: '任何位置',
  inMessages: '在對話中',
  inCard: '在核准卡片中',
  inComposer: '在輸入框中',
  next: '前往下一個待你處理的呼叫',
  sheet: '顯示此清單',
  later: '下一則訊息',
  earlier: '上一則訊息',
  approve: '核准',
  deny: '拒絕',
  always: '一律允許…',
  back: '返回或復原',
  send: '傳送',
  newLine: '換行',
  history: '輸入框為空時，取回上一則訊息',
  heldTo: (action) => `${action}（無法復原的操作需按住）`,
}
