import vue from '@vitejs/plugin-vue'
import { defineConfig } from 'vite'
import { SOURCE_CONDITIONS } from '../../../vite.config.ts'

/** Every state of every component with made-up messages: `vite packages/components/gallery`. */
export default defineConfig({
  root: import.meta.dirname,
  plugins: [vue()],
  resolve: { conditions: SOURCE_CONDITIONS },
})
