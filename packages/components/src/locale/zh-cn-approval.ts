import type { FieldPattern } from '@assent/engine'
import type { ApprovalWords } from './approval-words.ts'
import { formatList } from './format.ts'

const CHINESE = { code: 'zh-CN' }

/** 简体中文。 */
export const zhCNApproval: ApprovalWords = {
  tray: {
    label: '需要你处理',
    waiting: (count) => `${count} 项操作需要你处理`,
    show: '显示',
    review: '查看',
    hide: '隐藏',
    approveSeen: (count, all) => (all ? `全部批准（${count} 项）…` : `批准已看过的 ${count} 项…`),
    approveTitle: (count) => `要批准这 ${count} 项吗？`,
    approve: (count) => `批准 ${count} 项`,
    leftOut: '未包括',
    why: {
      answer: '需要你的回答',
      editing: '正在编辑',
      destroy: '无法撤销，需单独决定',
      checkFailed: '规则检查失败，需单独决定',
      notRecorded: '无法保存记录，需单独决定',
      expired: '可能已过期',
      typed: '需要输入确认文字，需单独决定',
      unseen: '你还没看到完整内容',
    },
    denyAll: (count) => `全部拒绝（${count} 项）…`,
    deny: (count) => `拒绝 ${count} 项`,
    elsewhere: '在服务器上',
    notify: '我不在时通知我',
  },
  policies: {
    label: '已有授权',
    none: '没有授权',
    noneHint: '在卡片上点“始终允许…”即可授权，可在这里取消。',
    everyCall: '所有调用',
    thisCall: '仅限完全相同的调用',
    when: (fields) => `条件：${formatList(CHINESE, fields, 'and')}`,
    field: (name, pattern) => `${name} ${patternWords(pattern)}`,
    wholeInput: '参数',
    here: '仅此对话',
    everywhere: '所有对话',
    until: (time) => `有效期至 ${time}`,
    usesLeft: (count) => `还可用 ${count} 次`,
    uses: (count) => (count === 0 ? '尚未使用' : `已使用 ${count} 次`),
    what: (tool, covered) => `${tool}，${covered}`,
    given: (time, sentence, place) => {
      const call = sentence === undefined ? '' : `对“${sentence}”`
      return `你于 ${time} ${call}选择了始终允许${place === undefined ? '' : `，${place}`}`
    },
    otherConversation: '在另一个对话中',
    showCall: '显示该调用',
    revoke: '取消授权',
    revokeWhat: (tool, covered) => `取消授权：${tool}，${covered}`,
    asksAgain: (notStarted) => {
      const again = '今后的此类调用都会再次询问你。'
      if (notStarted === 0) return again
      return `${again}已由它批准但尚未开始的 ${notStarted} 个调用将改为等待你处理。`
    },
    keep: '保留',
    paused: '已暂停',
    pausedHint: '暂停的授权会再次询问你。恢复后，其涵盖的待处理操作也会获批。',
    resume: '恢复',
  },
  audit: {
    label: '审批记录',
    none: '还没有审批记录',
    noneFound: '没有符合条件的记录',
    undated: '无日期',
    search: '搜索审批记录',
    tool: '工具',
    outcome: '结果',
    by: '审批方',
    all: '全部',
    outcomes: {
      approved: '已批准',
      always: '始终允许',
      denied: '已拒绝',
      answered: '已回答',
      revoked: '授权已取消',
      suspended: '授权已暂停',
      resumed: '授权已恢复',
      voided: '授权已失效',
    },
    count: (count, total) => (count === total ? `${total} 条记录` : `${count} / ${total} 条记录`),
    more: (count) => `再显示 ${count} 条`,
    exportAs: (format) => `导出为 ${format}`,
    reason: '原因',
    allowed: '允许范围',
    allowedBy: (time) => `由你 ${time} 给予的授权允许`,
    revokedAt: (covered, time) => `${covered}，已于 ${time} 取消`,
    revocation: '原先允许',
    input: '参数',
    changes: '你的修改',
    result: '结果',
    took: '用时',
    showCall: '显示该调用',
  },
  attention: {
    title: (count, title) => `(${count}) ${title}`,
    ended: (title) => `✓ ${title}`,
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
