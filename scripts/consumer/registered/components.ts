import { AssentComponents, type AssentGlobalComponents } from '@assent/components'
import { createApp } from 'vue'
import App from './App.vue'

declare module 'vue' {
  interface GlobalComponents extends Pick<AssentGlobalComponents<'Chat'>, 'ChatComposer'> {}
}

createApp(App).use(AssentComponents).use(AssentComponents, { prefix: 'Chat' })
