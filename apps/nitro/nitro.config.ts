// An app as its users write it, but for the sources of the packages, which need no build before.
import { defineConfig } from 'nitro'

export default defineConfig({
  compatibilityDate: '2026-01-01',
  serverDir: 'server',
  features: { websocket: true },
  exportConditions: ['@assent/source'],
  noExternals: ['@assent/node', '@assent/engine'],
})
