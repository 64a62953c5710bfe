import { defineComponent, h } from 'vue'
import type { MarkdownPlugin } from '../markdown-plugin.ts'
import { createDrawingFrame } from './drawing-frame.ts'
import MermaidDiagram from './MermaidDiagram.vue'

/** What {@link mermaid} must be told. */
export interface MermaidOptions {
  /**
   * The address of Mermaid's bundle for browsers, `mermaid/dist/mermaid.min.js`, served by yourself. With
   * Vite: `import script from 'mermaid/dist/mermaid.min.js?url'`. It is loaded with the first diagram.
   */
  script: string
  /** How long one diagram may take, in milliseconds. Default 10,000. */
  timeoutMs?: number
}

/**
 * A plugin that draws `mermaid` fences when they are whole.
 *
 * Mermaid makes markup out of what the model wrote, and loads images that it names. So it runs in a
 * sandboxed frame of another origin whose policy allows its own script and nothing else, and what it
 * draws is shown as an image: markup in an image neither runs nor loads.
 */
export function mermaid(options: MermaidOptions): MarkdownPlugin {
  const frame = createDrawingFrame(options.script, options.timeoutMs ?? 10_000)
  const Diagram = defineComponent({
    name: 'MermaidFence',
    props: { code: { type: String, required: true } },
    setup: (props) => () => h(MermaidDiagram, { code: props.code, draw: frame.draw }),
  })
  return { fences: { mermaid: Diagram } }
}
