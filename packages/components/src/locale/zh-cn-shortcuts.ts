import type { ShortcutWords } from './shortcut-words.ts'

/** 简体中文。 */
export const zhCNShortcuts: ShortcutWords = {
  title: '键盘快捷键',
  close: '关闭',
  anywhere: '任何位置',
  inMessages: '在对话中',
  inCard: '在审批卡片中',
  inComposer: '在输入框中',
  next: '转到下一个待你处理的调用',
  sheet: '显示此列表',
  later: '下一条消息',
  earlier: '上一条消息',
  approve: '批准',
  deny: '拒绝',
  always: '始终允许…',
  back: '返回或撤销',
  send: '发送',
  newLine: '换行',
  history: '输入框为空时，取回上一条消息',
  heldTo: (action) => `${action}（无法撤销的操作需按住）`,
}
