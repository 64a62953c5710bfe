import { defineConfig } from 'vitepress'

export default defineConfig({
  title: 'Assent',
  description: 'A headless chat engine and a Vue 3 kit for AI assistants that ask before they act.',
  cleanUrls: true,
  themeConfig: {
    outline: [2, 3],
    search: { provider: 'local' },
  },
})
