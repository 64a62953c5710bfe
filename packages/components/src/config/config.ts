import type { ToolPreview } from '@assent/engine'
import { computed, inject, provide, type App, type Component } from 'vue'
import type { ComputedRef, InjectionKey } from 'vue'
import type { IconSet } from '../icon/icon-set.ts'
import { iconsKey } from '../icon/replaceable.ts'
import { en } from '../locale/en.ts'
import type { AssentLocale } from '../locale/locale.ts'
import { withWords, type LocaleWords } from '../locale/words.ts'
import type { MarkdownConfig } from '../markdown/markdown-plugin.ts'
import type { Renderer } from '../renderer/renderer.ts'

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
  /** What several done calls of the tool are called together, by their number: "Read 4 files". */
  group?: (count: number) => string
  /** What can be chosen as the reason of a denial. Default: those of the locale. */
  denyReasons?: readonly string[]
  /** What a call would do, for a card that asks. A preview that came with the call is stronger. */
  preview?: (call: PresentedCall) => ToolPreview | undefined
  /**
   * JSON Schema of the input, for the form that edits it. Default: what the conversation's tool plugin
   * knows; JSON where it knows nothing.
   */
  inputSchema?: unknown
  /** What must be typed before a call is approved, such as the name of what would be deleted. */
  confirm?: string | ((call: PresentedCall) => string | undefined)
  /** `false`: its cards do not offer "Always…". */
  always?: boolean
}

/** What the components look like: `'auto'` is as the page or the system wishes. */
export type AssentTheme = 'light' | 'dark' | 'auto'

/** How much room things take. */
export type AssentDensity = 'comfortable' | 'compact'

/** What applies to all components below an `AsConfigProvider` or in an app. */
export interface AssentConfig {
  locale: AssentLocale
  /** By tool name. */
  tools: ReadonlyMap<string, ToolPresentation>
  /** What draws tool calls in place of the kit, by the type of the part. */
  renderers: ReadonlyMap<string, Component>
  /** What draws other parts, by their type; `null` for those that are not shown. */
  parts: ReadonlyMap<string, Component | null>
  /** How Markdown is shown; `undefined`: by `AsMarkdown` without plugins. */
  markdown: MarkdownConfig | undefined
  /** Whether the single keys A, D and L act inside a card that asks, and are shown there. */
  shortcuts: boolean
  /** The key that goes to the next card that waits, as `F8` or `Alt+N`; empty for none. */
  nextKey: string
  /** Whether cards offer standing permissions. */
  always: boolean
  /** Milliseconds in which a decision can be taken back, because it is not sent before; 0: at once. */
  undoMs: number
  icons: IconSet
  theme: AssentTheme
  density: AssentDensity
  /** `undefined`: as the page is. */
  dir: 'ltr' | 'rtl' | undefined
}

/** What a provider or `app.use` changes; the rest comes from the one above it. */
export interface ConfigOverrides {
  /** The words. Default: those of the provider above, else English. */
  locale?: AssentLocale | undefined
  /** Some words in the place of those of the locale: as few of them as there are to change. */
  words?: LocaleWords | undefined
  /** How tools are shown, by name; added to those of the provider above. */
  tools?: Readonly<Record<string, ToolPresentation>> | undefined
  /**
   * Components that draw tool calls and other parts in place of the kit, by `defineToolRenderer` and
   * `definePartRenderer`; added to those of the provider above. A slot is stronger.
   */
  renderers?: readonly Renderer[] | undefined
  /**
   * What shows parts of messages, by their type (`data-weather`, `custom`); it is given `part`, `index`
   * and `message`. `null` hides the type. Slots are stronger.
   */
  parts?: Readonly<Record<string, Component | null>> | undefined
  /** Plugins for Markdown, or a renderer in its place. Hand in the same object every time. */
  markdown?: MarkdownConfig | undefined
  /** Whether the single keys A, D and L act inside a card that asks. Default `true`. */
  shortcuts?: boolean | undefined
  /**
   * The key that goes to the next card that waits from anywhere on the page, such as `Alt+N` (`Mod` is ⌘
   * or Ctrl); empty for none. Default `F8`.
   */
  nextKey?: string | undefined
  /** Whether cards offer "Always…"; a tool may refuse it for itself. Default `true`. */
  always?: boolean | undefined
  /** Milliseconds in which a decision can be taken back: it is sent only then. Default 0: at once. */
  undoMs?: number | undefined
  /** Icons in the place of the kit's, by name; added to those of the provider above. */
  icons?: IconSet | undefined
  /**
   * Default `'auto'`: as the page says by `.light`, `.dark` or `data-theme`, else as the system does.
   * Below a provider with another theme, `'auto'` is as the system does.
   */
  theme?: AssentTheme | undefined
  /** Default `'comfortable'`. */
  density?: AssentDensity | undefined
  /** Which way the text runs. Default: as in the page. */
  dir?: 'ltr' | 'rtl' | undefined
}

const configKey: InjectionKey<ComputedRef<AssentConfig>> = Symbol('assent config')
const defaults = computed<AssentConfig>(() => ({
  locale: en,
  tools: new Map(),
  renderers: new Map(),
  parts: new Map(),
  markdown: undefined,
  shortcuts: true,
  nextKey: 'F8',
  always: true,
  undoMs: 0,
  icons: {},
  theme: 'auto',
  density: 'comfortable',
  dir: undefined,
}))

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
  const config = layConfig(useConfig(), overrides)
  provide(configKey, config)
  provide(iconsKey, iconsOf(config))
  return config
}

/** Overrides the configuration for a whole app. */
export function installConfig(app: App, overrides: () => ConfigOverrides): void {
  const config = layConfig(defaults, overrides)
  app.provide(configKey, config)
  app.provide(iconsKey, iconsOf(config))
}

function layConfig(
  outer: ComputedRef<AssentConfig>,
  overrides: () => ConfigOverrides,
): ComputedRef<AssentConfig> {
  // Apart from the rest: a locale is taken together once, and not with every other change.
  const locale = computed(() => {
    const base = overrides().locale ?? outer.value.locale
    const { words } = overrides()
    return words ? withWords(base, words) : base
  })
  return computed(() => {
    const { tools, renderers = [], parts, icons, ...over } = overrides()
    const { value: above } = outer
    const [ofCalls, ofParts] = splitRenderers(renderers)
    return {
      locale: locale.value,
      tools: added(above.tools, Object.entries(tools ?? {})),
      renderers: added(above.renderers, ofCalls),
      parts: added(above.parts, [...Object.entries(parts ?? {}), ...ofParts]),
      markdown: over.markdown ?? above.markdown,
      shortcuts: over.shortcuts ?? above.shortcuts,
      nextKey: over.nextKey ?? above.nextKey,
      always: over.always ?? above.always,
      undoMs: over.undoMs ?? above.undoMs,
      icons: icons ? { ...above.icons, ...icons } : above.icons,
      theme: over.theme ?? above.theme,
      density: over.density ?? above.density,
      dir: over.dir ?? above.dir,
    }
  })
}

type Entry<VALUE> = readonly [key: string, value: VALUE]

/** Those for calls, and those for other parts. */
function splitRenderers(renderers: readonly Renderer[]): [Entry<Component>[], Entry<Component>[]] {
  const entries = renderers.map(({ type, component }) => [type, component] as const)
  const isOfCall = ([type]: Entry<Component>): boolean => /^(?:dynamic-)?tool[- ]/.test(type)
  return [entries.filter(isOfCall), entries.filter((entry) => !isOfCall(entry))]
}

function added<VALUE>(
  map: ReadonlyMap<string, VALUE>,
  entries: readonly Entry<VALUE>[],
): ReadonlyMap<string, VALUE> {
  return entries.length === 0 ? map : new Map([...map, ...entries])
}

function iconsOf(config: ComputedRef<AssentConfig>): ComputedRef<IconSet> {
  return computed(() => config.value.icons)
}
