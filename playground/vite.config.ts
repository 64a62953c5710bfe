import vue from '@vitejs/plugin-vue'
import { join } from 'node:path'
import { defineConfig } from 'vite'
import { playgroundServer } from './server/vite-plugin.ts'

// As in the root config, which is not imported here: it looks for a browser when it loads.
const SOURCE_CONDITIONS = ['@assent/source', 'module', 'browser', 'development|production']

/** `PORT` is what hosts and tools that start a page set; `--port` is stronger. */
const port = Number(process.env['PORT']) || 5173
const listen = { host: '127.0.0.1', port, strictPort: false, open: false }

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
  server: listen,
  preview: listen,
})
