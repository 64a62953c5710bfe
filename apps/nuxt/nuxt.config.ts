// An app as its users write it, but for the sources of the packages, which need no build before.
export default defineNuxtConfig({
  compatibilityDate: '2026-01-01',
  telemetry: false,
  ssr: false,
  nitro: {
    experimental: { websocket: true },
    exportConditions: ['@assent/source'],
    externals: { inline: [/packages[/\\](node|engine)[/\\]/, '@assent/node', '@assent/engine'] },
  },
})
