import type { Token } from 'marked'
import { defineComponent, type PropType } from 'vue'
import { useLocale } from '../config/config.ts'
import { renderBlock, type BlockComponent } from './render-tokens.ts'

/** One block of a text, or item of a list; rendered again only when its token is another one. */
const MarkdownBlock: BlockComponent = defineComponent({
  name: 'MarkdownBlock',
  props: {
    token: { type: Object as PropType<Token>, required: true },
    topDepth: { type: Number, required: true },
  },
  setup(props) {
    const locale = useLocale()
    return () =>
      renderBlock(props.token, {
        topDepth: props.topDepth,
        locale: locale.value,
        block: MarkdownBlock,
      })
  },
})

export default MarkdownBlock
