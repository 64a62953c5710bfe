import { h, type FunctionalComponent } from 'vue'
import { useConfig } from '../config/config.ts'
import AsMarkdown from './AsMarkdown.vue'
import type { MarkdownRendererProps } from './markdown-plugin.ts'

/** Markdown as the configuration says it is to be shown. */
const MarkdownText: FunctionalComponent<MarkdownRendererProps> = (props) =>
  // A copy: in a production build it is one object for good, in which Vue would find no change.
  h(useConfig().value.markdown?.renderer ?? AsMarkdown, { ...props })
MarkdownText.props = ['text', 'streaming', 'sources']
MarkdownText.displayName = 'MarkdownText'

export default MarkdownText
