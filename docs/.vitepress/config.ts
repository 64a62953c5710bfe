import { join } from 'node:path'
import { defineConfig } from 'vitepress'
import { sidebarOf } from './sidebar.ts'

export default defineConfig({
  title: 'Assent',
  description: 'A headless chat engine and a Vue 3 kit for AI assistants that ask before they act.',
  cleanUrls: true,
  themeConfig: {
    nav: [
      { text: 'Guide', link: '/' },
      { text: 'Components', link: '/installing' },
    ],
    sidebar: sidebarOf(join(import.meta.dirname, '..')),
    outline: [2, 3],
    search: { provider: 'local' },
  },
})
