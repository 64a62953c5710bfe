import type { Token } from 'marked'
import { defineComponent, type PropType } from 'vue'
import { useLocale } from '../config/config.ts'
import { renderBlock } from './render-tokens.ts'

/** One block of a text; rendered again only when its token is another one. */
export default defineComponent({
  name: 'MarkdownBlock',
  props: {
    token: { type: Object as PropType<Token>, required: true },
    topDepth: { type: Number, required: true },
  },
  setup(props) {
    const locale = useLocale()
    return () => renderBlock(props.token, { topDepth: props.topDepth, locale: locale.value })
  },
})
