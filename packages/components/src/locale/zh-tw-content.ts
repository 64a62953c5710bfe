import type { ContentWords } from './content-words.ts'

/** 繁體中文（臺灣）。 */
export const zhTWContent: ContentWords = {
  footnotes: '註腳',
  footnote: (index) => `註腳 ${index}`,
  footnoteBack: (index) => `返回註腳 ${index} 的引用處`,
  citation: (index, name) => `來源 ${index}：${name}`,
  formula: '公式',
  diagram: '圖表',
  diagramSource: '顯示原始碼',
  diagramFailed: '無法繪製圖表',

  thoughtFor: (duration) => `思考了 ${duration}`,
  saveFile: '儲存',
  summary: '先前訊息的摘要',
  unknownPart: (type) => `未知類型的內容：${type}`,
  brokenPart: (type) => `無法顯示此內容：${type}`,
  errorPart: '發生錯誤',

  newMessages: (count) => `${count} 則新訊息`,
  showEarlier: (count) => `顯示更早的 ${count.toLocaleString('zh-TW')} 則訊息`,
  shownEarlier: (count) => `已顯示更早的 ${count.toLocaleString('zh-TW')} 則訊息`,
  earlierFailed: '無法載入更早的訊息',
}
