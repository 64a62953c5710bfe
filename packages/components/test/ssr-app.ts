import { createSSRApp, h, type App } from 'vue'
import { scenes } from '../gallery/scenes.ts'
import { AsChat, AsConfigProvider } from '../src/index.ts'
import { createChatDouble } from './chat-double.ts'

/** The same chat for a server and for the browser that takes it over. */
export function createSsrApp(scene: string): App {
  const { chat } = createChatDouble(scenes.get(scene))
  return createSSRApp({
    render: () => h(AsConfigProvider, {}, { default: () => h(AsChat, { chat }) }),
  })
}
