import { computed, inject, provide, type Component, type ComputedRef, type InjectionKey } from 'vue'
import { en } from '../locale/en.ts'
import type { AssentLocale } from '../locale/locale.ts'

/** A tool call as the functions of a {@link ToolPresentation} see it. */
export interface PresentedCall {
  readonly toolName: string
  /** As the model gave it; while it still streams, as much of it as there is. */
  readonly input: unknown
}

/** How the calls of one tool are shown, where the call itself does not say. */
export interface ToolPresentation {
  /** A sentence or name for the call. A summary that came with the call is stronger. */
  label?: string | ((call: PresentedCall) => string)
  icon?: Component
  /** The word on the approve button. Default: a verb found in the tool's name, else "Approve". */
  approve?: string
  /** What can be chosen as the reason of a denial. Default: those of the locale. */
  denyReasons?: readonly string[]
}

/** What applies to all components below an `AsConfigProvider`. */
export interface AssentConfig {
  locale: AssentLocale
  /** By tool name. */
  tools: ReadonlyMap<string, ToolPresentation>
  /** Whether the single keys A, D and L act inside a card that asks, and are shown there. */
  shortcuts: boolean
}

/** What an `AsConfigProvider` changes; the rest comes from the one above it. */
export interface ConfigOverrides {
  locale?: AssentLocale | undefined
  tools?: Readonly<Record<string, ToolPresentation>> | undefined
  shortcuts?: boolean | undefined
}

const configKey: InjectionKey<ComputedRef<AssentConfig>> = Symbol('assent config')
const defaults = computed<AssentConfig>(() => ({ locale: en, tools: new Map(), shortcuts: true }))

/** The configuration that holds here; the defaults where no provider is above. */
export function useConfig(): ComputedRef<AssentConfig> {
  return inject(configKey, defaults)
}

/** The words that hold here. */
export function useLocale(): ComputedRef<AssentLocale> {
  const config = useConfig()
  return computed(() => config.value.locale)
}

/** Overrides the configuration for all components below. */
export function provideConfig(overrides: () => ConfigOverrides): ComputedRef<AssentConfig> {
  const outer = useConfig()
  const config = computed(() => {
    const { locale, tools, shortcuts } = overrides()
    return {
      locale: locale ?? outer.value.locale,
      tools: tools ? new Map([...outer.value.tools, ...Object.entries(tools)]) : outer.value.tools,
      shortcuts: shortcuts ?? outer.value.shortcuts,
    }
  })
  provide(configKey, config)
  return config
}
