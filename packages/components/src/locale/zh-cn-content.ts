import type { ContentWords } from './content-words.ts'

/** 简体中文。 */
export const zhCNContent: ContentWords = {
  footnotes: '脚注',
  footnote: (index) => `脚注 ${index}`,
  footnoteBack: (index) => `返回脚注 ${index} 的引用处`,
  citation: (index, name) => `来源 ${index}：${name}`,
  formula: '公式',
  diagram: '图表',
  diagramSource: '显示源代码',
  diagramFailed: '无法绘制图表',

  thoughtFor: (duration) => `思考了 ${duration}`,
  saveFile: '保存',
  summary: '先前消息的摘要',
  unknownPart: (type) => `未知类型的内容：${type}`,
  brokenPart: (type) => `无法显示此内容：${type}`,
  errorPart: '出了点问题',

  newMessages: (count) => `${count} 条新消息`,
  showEarlier: (count) => `显示更早的 ${count.toLocaleString('zh-CN')} 条消息`,
  shownEarlier: (count) => `已显示更早的 ${count.toLocaleString('zh-CN')} 条消息`,
  earlierFailed: '无法加载更早的消息',
}
