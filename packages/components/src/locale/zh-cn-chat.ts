import type { AttachWords, ConversationWords, MessageWords } from './chat-words.ts'

/** 简体中文。 */
export const zhCNAttach: AttachWords = {
  button: '添加文件',
  list: '已添加的文件',
  drop: '松开以添加文件',
  remove: (name) => `移除 ${name}`,
  retry: (name) => `重新上传 ${name}`,
  cancel: (name) => `停止上传 ${name}`,
  attached: (name) => `已添加：${name}`,
  removed: (name) => `已移除：${name}`,
  uploading: (percent) => (percent === undefined ? '正在上传' : `正在上传，${percent}%`),
  notAttached: '未添加',
  failed: (name, why) => `无法添加 ${name}：${why}`,
  wrongKind: (name, accept) => `不支持 ${name} 的类型。支持的类型：${accept}`,
  tooLarge: (name, limit) => `${name} 超过了 ${limit}`,
  isEmpty: (name) => `${name} 是空文件`,
  tooMany: (names, max) => `无法再添加 ${names}：最多 ${max} 个文件`,
  wait: '文件仍在添加中',
  unfinished: '有文件未能添加：请重试或将其移除',
  dismiss: '知道了',
}

/** 简体中文。 */
export const zhCNMessage: MessageWords = {
  actions: '消息操作',
  copy: '复制',
  edit: '编辑',
  editLabel: '编辑你的消息',
  editDrops: (count) => `此后的 ${count} 条消息将被删除，并重新生成回答。`,
  editKeepsFiles: (count) => `其中的 ${count} 个文件会保留。`,
  editSend: '重新发送',
  cancel: '取消',
  regenerate: '重新生成',
  regenerateDrops: '用新回答替换',
  good: '有帮助',
  bad: '没有帮助',
  busy: '回答进行中，暂时无法操作',
}

/** 简体中文。 */
export const zhCNConversation: ConversationWords = {
  label: '对话列表',
  create: '新对话',
  search: '搜索对话',
  searchPlaceholder: '搜索',
  none: '你的对话会保存在这里',
  noneFound: '没有找到',
  untitled: '未命名',
  today: '今天',
  yesterday: '昨天',
  thisWeek: '近 7 天',
  waiting: (count) => `${count} 项需要你处理`,
  unread: (count) => `${count} 条未读`,
  rename: (name) => `重命名“${name}”`,
  newName: (name) => `“${name}”的新名称`,
  save: '重命名',
  export: (name) => `导出“${name}”`,
  delete: (name) => `删除“${name}”`,
  deleteAsk: '要永久删除吗？',
  deleteConfirm: '删除',
  keep: '取消',
  deleted: (name) => `“${name}”已删除`,
  import: '导入…',
  more: (count) => `还有 ${count} 个`,
  found: (count) => (count === 0 ? '没有找到' : `找到 ${count} 个`),
}
