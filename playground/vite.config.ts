import vue from '@vitejs/plugin-vue'
import { join } from 'node:path'
import { defineConfig } from 'vite'
import { playgroundServer } from './server/vite-plugin.ts'

// As in the root config, which is not imported here: it looks for a browser when it loads.
const SOURCE_CONDITIONS = ['@assent/source', 'module', 'browser', 'development|production']

export default defineConfig({
  root: import.meta.dirname,
  plugins: [vue(), playgroundServer()],
  resolve: { conditions: SOURCE_CONDITIONS },
  build: {
    rolldownOptions: {
      input: ['index.html', 'audit.html', 'worker.html', 'gallery.html'].map((page) =>
        join(import.meta.dirname, page),
      ),
    },
  },
  server: { host: '127.0.0.1', port: 5173, strictPort: false, open: false },
  preview: { host: '127.0.0.1', port: 5173, strictPort: false, open: false },
})
