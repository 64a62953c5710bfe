import { isEngineError } from '@assent/engine'
import { scriptedTransport } from '@assent/engine/testing'
import { mount } from '@vue/test-utils'
import { expect, test } from 'vitest'
import { defineComponent, h } from 'vue'
import { injectMessage, provideMessage } from './message-context.ts'
import { useMessage } from './use-message.ts'

const Below = defineComponent(() => {
  const chat = injectMessage()
  return () => h('p', chat.id.value)
})

test('a conversation reaches the components below without a prop', () => {
  const App = defineComponent(() => {
    const chat = useMessage({ id: 'outer', transport: scriptedTransport() })
    expect(provideMessage(chat)).toBe(chat)
    return () => h('div', [h(Below), h(Inner)])
  })
  const Inner = defineComponent(() => {
    provideMessage(useMessage({ id: 'inner', transport: scriptedTransport() }))
    return () => h(Below)
  })
  expect(mount(App).html()).toBe('<div>\n  <p>outer</p>\n  <p>inner</p>\n</div>')
})

test('says what to do when no conversation was provided', () => {
  let caught: unknown
  const Alone = defineComponent(() => {
    try {
      injectMessage()
    } catch (error) {
      caught = error
    }
    return () => h('p')
  })
  mount(Alone)
  expect(isEngineError(caught) && caught.code).toBe('invalid_argument')
  expect(String(caught)).toContain('provideMessage(useMessage(')
})

test('says the same outside of a component', () => {
  expect(() => injectMessage()).toThrow('injectMessage() found no conversation')
})
