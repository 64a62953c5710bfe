import { createSSRApp } from 'vue'
import { renderToString } from 'vue/server-renderer'
import App from './App.vue'

/** The page as a server makes it. */
export const render = (): Promise<string> => renderToString(createSSRApp(App))
