import type { UIMessage } from 'ai'
import { page } from 'vitest/browser'
import { render, type RenderResult } from 'vitest-browser-vue'
import { defineComponent, h } from 'vue'
import { AsChat, AsConfigProvider, type AsConfigProviderProps } from '../src/index.ts'
import '../src/style/index.css'
import type { ChatDouble } from './chat-double.ts'

/** A chat as it stands in an app: in a box of its own height, below a provider. */
export async function mountChat<MESSAGE extends UIMessage>(
  double: ChatDouble<MESSAGE>,
  options: {
    config?: AsConfigProviderProps
    slots?: Record<string, (scope: never) => unknown>
    mixin?: object
    /** Further props of the chat. */
    props?: object
    height?: number
    width?: number
  } = {},
): Promise<RenderResult<object>> {
  const { height = 700, width = 760 } = options
  const Box = defineComponent(
    () => () =>
      h('div', { style: { blockSize: `${height}px`, inlineSize: `${width}px` } }, [
        h(AsConfigProvider, options.config ?? {}, {
          default: () =>
            h(AsChat, { chat: double.chat as never, ...options.props }, options.slots ?? {}),
        }),
      ]),
  )
  await page.viewport(800, 900)
  return render(Box, { global: { mixins: options.mixin ? [options.mixin] : [] } })
}

/** The one element of a slot name; throws when there is none. */
export function slotElement(name: string, index = 0): HTMLElement {
  const found = document.querySelectorAll<HTMLElement>(`[data-slot="${name}"]`)[index]
  if (!found) throw new Error(`There is no element ${name}.`)
  return found
}
