/** Every component of the kit, for what names them without loading them. */
export const COMPONENT_NAMES = [
  'AsBubble',
  'AsBubbleList',
  'AsChat',
  'AsComposer',
  'AsConfigProvider',
  'AsMarkdown',
  'AsToolCall',
] as const

/** The prefix that the names above have. */
export const PREFIX = 'As'
