/** Words, tool presentation and shortcuts for everything below it; may be nested. */
export { default as AsConfigProvider } from './AsConfigProvider.vue'
export type { AsConfigProviderProps } from './AsConfigProvider.vue'
export { useConfig, useLocale } from './config.ts'
export type { AssentConfig, PresentedCall, ToolPresentation } from './config.ts'
