import type { FieldPattern } from '@assent/engine'
import type { ApprovalWords } from './approval-words.ts'
import { formatList } from './format.ts'

const CHINESE = { code: 'zh-TW' }

/** 繁體中文（臺灣）。 */
export const zhTWApproval: ApprovalWords = {
  tray: {
    label: '等待你處理',
    waiting: (count) => `${count} 項操作等待你處理`,
    show: '顯示',
    review: '檢視',
    hide: '隱藏',
    approveSeen: (count, all) => (all ? `全部核准（${count} 項）…` : `核准已看過的 ${count} 項…`),
    approveTitle: (count) => `要核准這 ${count} 項嗎？`,
    approve: (count) => `核准 ${count} 項`,
    leftOut: '不包括',
    why: {
      answer: '等待你的回答',
      destroy: '無法復原，需單獨決定',
      checkFailed: '規則檢查失敗，需單獨決定',
      notRecorded: '無法儲存紀錄，需單獨決定',
      expired: '可能已過期',
      typed: '需要輸入確認文字，需單獨決定',
      unseen: '尚未完整顯示給你',
    },
    denyAll: (count) => `全部拒絕（${count} 項）…`,
    deny: (count) => `拒絕 ${count} 項`,
    elsewhere: '在伺服器上',
    notify: '我離開時通知我',
  },
  policies: {
    label: '長期授權',
    none: '沒有長期授權',
    noneHint: '卡片上的「一律允許…」可以給予授權，在這裡可以收回。',
    everyCall: '每次呼叫',
    thisCall: '僅這次呼叫',
    when: (fields) => `條件：${formatList(CHINESE, fields, 'and')}`,
    field: (name, pattern) => `${name} ${patternWords(pattern)}`,
    wholeInput: '輸入',
    here: '在此對話中',
    everywhere: '任何地方',
    until: (time) => `至 ${time}`,
    usesLeft: (count) => `還可用 ${count} 次`,
    uses: (count) => (count === 0 ? '尚未使用' : `已使用 ${count} 次`),
    given: (time) => `你於 ${time} 選擇了一律允許`,
    givenOn: (time) => `你於 ${time} 選擇了一律允許，針對`,
    otherConversation: '另一個對話中',
    showCall: '顯示該呼叫',
    revoke: '收回',
    revokeWhat: (tool, covered) => `收回：${tool}，${covered}`,
    asksAgain: '之後的每次此類呼叫都會再次詢問你。',
    asksNow: (count) => `它已核准的 ${count} 個呼叫尚未開始：它們將等待你處理。`,
    keep: '保留',
    paused: '已暫停',
    pausedHint: '已全部停止。暫停的授權會再次詢問你。',
    resume: '恢復',
  },
  audit: {
    label: '決定紀錄',
    none: '還沒有決定',
    noneFound: '沒有符合的決定',
    today: '今天',
    yesterday: '昨天',
    undated: '無日期',
    search: '搜尋決定',
    tool: '工具',
    outcome: '決定',
    by: '決定者',
    all: '全部',
    outcomes: {
      approved: '已核准',
      always: '一律允許',
      denied: '已拒絕',
      answered: '已回答',
      revoked: '授權已收回',
      suspended: '授權已暫停',
      resumed: '授權已恢復',
      voided: '授權已結束',
    },
    byPerson: '你',
    byRule: '規則',
    byPolicy: '你的長期授權',
    count: (count, total) => (count === total ? `${total} 個決定` : `${count} / ${total} 個決定`),
    more: (count) => `再顯示 ${count} 個`,
    exportAs: (format) => `匯出為 ${format}`,
    reason: '原因',
    allowed: '允許範圍',
    allowedBy: (time) => `由你 ${time} 的長期授權允許`,
    revokedAt: (time) => `於 ${time} 收回`,
    revocation: '原先允許',
    input: '輸入',
    changes: '你的變更',
    added: '新增',
    removed: '已刪除',
    result: '結果',
    took: '耗時',
    showCall: '顯示該呼叫',
  },
  attention: {
    title: (count, title) => `(${count}) ${title}`,
    ended: (title) => `✓ ${title}`,
    waits: (count) => `${count} 項操作等待你處理`,
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
