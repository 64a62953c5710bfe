import type { Token } from 'marked'
import { computed, defineComponent, inject, type PropType } from 'vue'
import { useConfig } from '../config/config.ts'
import { sourcesKey } from './sources.ts'
import { markdownKit } from './markdown-kit.ts'
import { renderBlock, type BlockComponent } from './render-tokens.ts'

/** One block of a text, or item of a list; rendered again only when its token is another one. */
const MarkdownBlock: BlockComponent = defineComponent({
  name: 'MarkdownBlock',
  props: {
    token: { type: Object as PropType<Token>, required: true },
    topDepth: { type: Number, required: true },
    isOpen: { type: Boolean, default: false },
  },
  setup(props) {
    const config = useConfig()
    const sources = inject(sourcesKey, undefined)
    const kit = computed(() => markdownKit(config.value.markdown?.plugins))
    return () =>
      renderBlock(props.token, {
        topDepth: props.topDepth,
        isOpen: props.isOpen === true,
        locale: config.value.locale,
        kit: kit.value,
        sources: sources?.value ?? [],
        block: MarkdownBlock,
      })
  },
})

export default MarkdownBlock
