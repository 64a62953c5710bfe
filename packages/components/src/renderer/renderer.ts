import type { Component } from 'vue'

/** A component that draws the parts of one type in place of the kit, for the option `renderers`. */
export interface Renderer {
  /** The type of the part: `tool-<name>`, `data-<name>`, `text`, …; `dynamic-tool <name>` for one. */
  readonly type: string
  readonly component: Component
}
