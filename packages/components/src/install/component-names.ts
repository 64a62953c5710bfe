/** Every component of the kit, for what names them without loading them. */
export const COMPONENT_NAMES = [
  'AsApprovalTray',
  'AsAuditTrail',
  'AsBubble',
  'AsBubbleList',
  'AsChat',
  'AsComposer',
  'AsConfigProvider',
  'AsConversationList',
  'AsDrawer',
  'AsMarkdown',
  'AsPolicyList',
  'AsQueue',
  'AsToolCall',
] as const

/** The prefix that the names above have. */
export const PREFIX = 'As'
