import { defineComponent, h, inject } from 'vue'
import { useLocale } from '../config/config.ts'
import { footnotesKey } from './footnotes.ts'

/** A mark that leads to its note; the text that it is, where there is no such note. */
const FootnoteMark = defineComponent({
  name: 'FootnoteMark',
  props: { label: { type: String, required: true } },
  setup(props) {
    const locale = useLocale()
    const notes = inject(footnotesKey, undefined)
    return () => {
      const index = notes?.labels.value.indexOf(props.label) ?? -1
      if (index < 0) return notes?.isOpen() ? h('sup', props.label) : `[^${props.label}]`
      return h('sup', [
        h(
          'button',
          {
            type: 'button',
            class: 'as-note-mark',
            'data-slot': 'footnote-mark',
            'aria-label': locale.value.content.footnote(index + 1),
            onClick: (event: Event) => notes?.go(index, event.currentTarget),
          },
          index + 1,
        ),
      ])
    }
  },
})

export default FootnoteMark
