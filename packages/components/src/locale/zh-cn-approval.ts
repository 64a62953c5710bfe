import type { FieldPattern } from '@assent/engine'
import type { ApprovalWords } from './approval-words.ts'
import { formatList } from './format.ts'

const CHINESE = { code: 'zh-CN' }

/** 简体中文。 */
export const zhCNApproval: ApprovalWords = {
  tray: {
    label: '等待你处理',
    waiting: (count) => `${count} 项操作等待你处理`,
    show: '显示',
    review: '查看',
    hide: '隐藏',
    approveSeen: (count, all) => (all ? `全部批准（${count} 项）…` : `批准已看过的 ${count} 项…`),
    approveTitle: (count) => `要批准这 ${count} 项吗？`,
    approve: (count) => `批准 ${count} 项`,
    leftOut: '不包括',
    why: {
      answer: '等待你的回答',
      destroy: '无法撤销，需单独决定',
      checkFailed: '规则检查失败，需单独决定',
      notRecorded: '无法保存记录，需单独决定',
      expired: '可能已过期',
      typed: '需要输入确认文字，需单独决定',
      unseen: '尚未完整显示给你',
    },
    denyAll: (count) => `全部拒绝（${count} 项）…`,
    deny: (count) => `拒绝 ${count} 项`,
    elsewhere: '在服务器上',
    notify: '我离开时通知我',
  },
  policies: {
    label: '长期授权',
    none: '没有长期授权',
    noneHint: '卡片上的“始终允许…”可以给予授权，在这里可以收回。',
    everyCall: '每次调用',
    thisCall: '仅这次调用',
    when: (fields) => `条件：${formatList(CHINESE, fields, 'and')}`,
    field: (name, pattern) => `${name} ${patternWords(pattern)}`,
    wholeInput: '输入',
    here: '在此对话中',
    everywhere: '任何地方',
    until: (time) => `至 ${time}`,
    usesLeft: (count) => `还可用 ${count} 次`,
    uses: (count) => (count === 0 ? '尚未使用' : `已使用 ${count} 次`),
    given: (time) => `你于 ${time} 选择了始终允许`,
    givenOn: (time) => `你于 ${time} 选择了始终允许，针对`,
    otherConversation: '另一个对话中',
    showCall: '显示该调用',
    revoke: '收回',
    revokeWhat: (tool, covered) => `收回：${tool}，${covered}`,
    asksAgain: '之后的每次此类调用都会再次询问你。',
    asksNow: (count) => `它已批准的 ${count} 个调用尚未开始：它们将等待你处理。`,
    keep: '保留',
    paused: '已暂停',
    pausedHint: '已全部停止。暂停的授权会再次询问你。',
    resume: '恢复',
  },
  audit: {
    label: '决定记录',
    none: '还没有决定',
    noneFound: '没有符合的决定',
    today: '今天',
    yesterday: '昨天',
    undated: '无日期',
    search: '搜索决定',
    tool: '工具',
    outcome: '决定',
    by: '决定者',
    all: '全部',
    outcomes: {
      approved: '已批准',
      always: '始终允许',
      denied: '已拒绝',
      answered: '已回答',
      revoked: '授权已收回',
      suspended: '授权已暂停',
      resumed: '授权已恢复',
      voided: '授权已结束',
    },
    byPerson: '你',
    byRule: '规则',
    byPolicy: '你的长期授权',
    count: (count, total) => (count === total ? `${total} 个决定` : `${count} / ${total} 个决定`),
    more: (count) => `再显示 ${count} 个`,
    exportAs: (format) => `导出为 ${format}`,
    reason: '原因',
    allowed: '允许范围',
    allowedBy: (time) => `由你 ${time} 的长期授权允许`,
    revokedAt: (time) => `于 ${time} 收回`,
    revocation: '原先允许',
    input: '输入',
    changes: '你的更改',
    added: '新增',
    removed: '已删除',
    result: '结果',
    took: '用时',
    showCall: '显示该调用',
  },
  attention: {
    title: (count, title) => `(${count}) ${title}`,
    ended: (title) => `✓ ${title}`,
    waits: (count) => `${count} 项操作等待你处理`,
    turnEnded: '回答已完成',
  },
}

function patternWords(pattern: FieldPattern): string {
  if ('prefix' in pattern) return `以“${pattern.prefix}”开头`
  if ('glob' in pattern) return `符合“${pattern.glob}”`
  if ('oneOf' in pattern) return `为 ${formatList(CHINESE, pattern.oneOf.map(valueWords), 'or')}`
  const { min, max } = pattern
  if (min === undefined) return `不大于 ${max}`
  return max === undefined ? `不小于 ${min}` : `在 ${min} 与 ${max} 之间`
}

function valueWords(value: string | number | boolean | null): string {
  return typeof value === 'string' ? `“${value}”` : String(value)
}
