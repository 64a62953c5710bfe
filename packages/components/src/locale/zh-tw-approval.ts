import type { FieldPattern } from '@assent/engine'
import type { ApprovalWords } from './approval-words.ts'
import { formatList } from './format.ts'

const CHINESE = { code: 'zh-TW' }

/** 繁體中文（臺灣）。 */
export const zhTWApproval: ApprovalWords = {
  tray: {
    label: '需要你處理',
    waiting: (count) => `${count} 項操作需要你處理`,
    show: '顯示',
    review: '檢視',
    hide: '隱藏',
    approveSeen: (count, all) => (all ? `全部核准（${count} 項）…` : `核准已看過的 ${count} 項…`),
    approveTitle: (count) => `要核准這 ${count} 項嗎？`,
    approve: (count) => `核准 ${count} 項`,
    leftOut: '未包含',
    why: {
      answer: '需要你的回答',
      editing: '正在編輯',
      destroy: '無法復原，需單獨決定',
      checkFailed: '規則檢查失敗，需單獨決定',
      notRecorded: '無法儲存紀錄，需單獨決定',
      expired: '可能已過期',
      typed: '需要輸入確認文字，需單獨決定',
      unseen: '你尚未看到完整內容',
    },
    denyAll: (count) => `全部拒絕（${count} 項）…`,
    deny: (count) => `拒絕 ${count} 項`,
    elsewhere: '在伺服器上',
    notify: '我不在時通知我',
  },
  policies: {
    label: '已授予的權限',
    none: '沒有已授予的權限',
    noneHint: '在卡片上按「一律允許…」即可授權，可在此撤銷。',
    everyCall: '所有呼叫',
    thisCall: '僅限完全相同的呼叫',
    when: (fields) => `條件：${formatList(CHINESE, fields, 'and')}`,
    field: (name, pattern) => `${name} ${patternWords(pattern)}`,
    wholeInput: '參數',
    here: '僅此對話',
    everywhere: '所有對話',
    until: (time) => `有效至 ${time}`,
    usesLeft: (count) => `還可用 ${count} 次`,
    uses: (count) => (count === 0 ? '尚未使用' : `已使用 ${count} 次`),
    what: (tool, covered) => `${tool}，${covered}`,
    given: (time, sentence, place) => {
      const call = sentence === undefined ? '' : `對「${sentence}」`
      return `你於 ${time} ${call}選擇了一律允許${place === undefined ? '' : `，${place}`}`
    },
    otherConversation: '在另一個對話中',
    showCall: '顯示該呼叫',
    revoke: '撤銷權限',
    revokeWhat: (tool, covered) => `撤銷權限：${tool}，${covered}`,
    asksAgain: (notStarted) => {
      const again = '今後的這類呼叫都會再次詢問你。'
      if (notStarted === 0) return again
      return `${again}已由它核准但尚未開始的 ${notStarted} 個呼叫將改為等待你處理。`
    },
    keep: '保留',
    paused: '已暫停',
    pausedHint: '暫停的授權會再次詢問你。恢復後，其涵蓋的待處理操作也會獲准。',
    resume: '恢復',
  },
  audit: {
    label: '審核紀錄',
    none: '尚無審核紀錄',
    noneFound: '沒有符合條件的紀錄',
    undated: '無日期',
    search: '搜尋審核紀錄',
    tool: '工具',
    outcome: '結果',
    by: '審核者',
    all: '全部',
    outcomes: {
      approved: '已核准',
      always: '一律允許',
      denied: '已拒絕',
      answered: '已回答',
      revoked: '權限已撤銷',
      suspended: '權限已暫停',
      resumed: '權限已恢復',
      voided: '權限已失效',
    },
    count: (count, total) => (count === total ? `${total} 筆紀錄` : `${count} / ${total} 筆紀錄`),
    more: (count) => `再顯示 ${count} 筆`,
    exportAs: (format) => `匯出為 ${format}`,
    reason: '原因',
    allowed: '允許範圍',
    allowedBy: (time) => `由你 ${time} 授予的權限允許`,
    revokedAt: (covered, time) => `${covered}，已於 ${time} 撤銷`,
    revocation: '原先允許',
    input: '參數',
    changes: '你的修改',
    result: '結果',
    took: '耗時',
    showCall: '顯示該呼叫',
  },
  attention: {
    title: (count, title) => `(${count}) ${title}`,
    ended: (title) => `✓ ${title}`,
    turnEnded: '回答已完成',
  },
}

function patternWords(pattern: FieldPattern): string {
  if ('prefix' in pattern) return `以「${pattern.prefix}」開頭`
  if ('glob' in pattern) return `符合「${pattern.glob}」`
  if ('oneOf' in pattern) return `為 ${formatList(CHINESE, pattern.oneOf.map(valueWords), 'or')}`
  const { min, max } = pattern
  if (min === undefined) return `不大於 ${max}`
  return max === undefined ? `不小於 ${min}` : `在 ${min} 與 ${max} 之間`
}

function valueWords(value: string | number | boolean | null): string {
  return typeof value === 'string' ? `「${value}」` : String(value)
}
