/** Words, icons, look and tools for everything below it; may be nested. */
export { default as AsConfigProvider } from './AsConfigProvider.vue'
export type { AsConfigProviderProps } from './AsConfigProvider.vue'
export { useConfig, useLocale } from './config.ts'
export type {
  AssentConfig,
  AssentDensity,
  AssentTheme,
  ConfigOverrides,
  PresentedCall,
  ToolPresentation,
} from './config.ts'
