import type { App, ComponentPublicInstance } from 'vue'

/** Components that render a list, whichever way. */
const LISTS = new Set(['AsBubbleList', 'BubbleStretch', 'VirtualItems', 'UseChatList'])
/** Components that render one message. */
const BUBBLES = new Set(['AsBubble', 'MessageBubble'])

/** How often lists and bubbles were rendered, after they were first. */
export interface RenderCounts {
  lists: number
  bubbles: number
}

/** Counts from now on. It makes every component a little dearer: not for what is timed. */
export function countRenders(app: App): RenderCounts {
  const counts: RenderCounts = { lists: 0, bubbles: 0 }
  app.mixin({
    updated(this: ComponentPublicInstance) {
      const name = this.$options.__name ?? ''
      if (LISTS.has(name)) counts.lists += 1
      if (BUBBLES.has(name)) counts.bubbles += 1
    },
  })
  return counts
}
