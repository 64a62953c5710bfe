import { h, inject, type Component, type FunctionalComponent, type InjectionKey } from 'vue'

/** What replaces icons here, by the name of the icon. */
export const iconsKey: InjectionKey<{
  readonly value: Readonly<Record<string, Component | undefined>>
}> = Symbol('assent icons')

/** An icon that gives way to the one of its name in the configuration above it. */
export function replaceable(name: string, icon: Component): FunctionalComponent {
  const Icon: FunctionalComponent = (_props, { attrs }) =>
    h(inject(iconsKey, undefined)?.value[name] ?? icon, { 'aria-hidden': 'true', ...attrs })
  Icon.inheritAttrs = false
  return Icon
}
