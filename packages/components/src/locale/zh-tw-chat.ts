import type { AttachWords, ConversationWords, MessageWords } from './chat-words.ts'

/** 繁體中文（臺灣）。 */
export const zhTWAttach: AttachWords = {
  button: '附加檔案',
  list: '已附加的檔案',
  drop: '放開以附加檔案',
  remove: (name) => `移除 ${name}`,
  retry: (name) => `重新上傳 ${name}`,
  cancel: (name) => `停止上傳 ${name}`,
  attached: (name) => `已附加：${name}`,
  removed: (name) => `已移除：${name}`,
  uploading: (percent) => (percent === undefined ? '正在上傳' : `正在上傳，${percent}%`),
  notAttached: '未附加',
  failed: (name, why) => `無法附加 ${name}：${why}`,
  wrongKind: (name, accept) => `不支援 ${name} 的類型。支援的類型：${accept}`,
  tooLarge: (name, limit) => `${name} 超過了 ${limit}`,
  isEmpty: (name) => `${name} 是空檔案`,
  tooMany: (names, max) => `無法再附加 ${names}：最多 ${max} 個檔案`,
  wait: '檔案仍在附加中',
  unfinished: '有檔案未能附加：請重試或將其移除',
  dismiss: '知道了',
}

/** 繁體中文（臺灣）。 */
export const zhTWMessage: MessageWords = {
  actions: '訊息操作',
  copy: '複製',
  edit: '編輯',
  editLabel: '編輯你的訊息',
  editDrops: (count) => `此後的 ${count} 則訊息將會刪除，並重新產生回答。`,
  editKeepsFiles: (count) => `其中的 ${count} 個檔案會保留。`,
  editSend: '重新傳送',
  cancel: '取消',
  regenerate: '重新產生',
  regenerateDrops: '以新回答取代',
  good: '有幫助',
  bad: '沒有幫助',
  busy: '回答進行中，暫時無法操作',
}

/** 繁體中文（臺灣）。 */
export const zhTWConversation: ConversationWords = {
  label: '對話清單',
  create: '新對話',
  search: '搜尋對話',
  searchPlaceholder: '搜尋',
  none: '你的對話會儲存在這裡',
  noneFound: '沒有找到',
  untitled: '未命名',
  today: '今天',
  yesterday: '昨天',
  thisWeek: '過去 7 天',
  waiting: (count) => `${count} 項需要你處理`,
  unread: (count) => `${count} 則未讀`,
  rename: (name) => `重新命名「${name}」`,
  newName: (name) => `「${name}」的新名稱`,
  save: '重新命名',
  export: (name) => `匯出「${name}」`,
  delete: (name) => `刪除「${name}」`,
  deleteAsk: '要永久刪除嗎？',
  deleteConfirm: '刪除',
  keep: '取消',
  deleted: (name) => `「${name}」已刪除`,
  import: '匯入…',
  more: (count) => `還有 ${count} 個`,
  found: (count) => (count === 0 ? '沒有找到' : `找到 ${count} 個`),
}
