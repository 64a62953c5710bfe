import { defineAsyncComponent, h, type Component, type FunctionalComponent } from 'vue'
import { useLocale } from '../config/config.ts'

const NotLoaded: FunctionalComponent = () =>
  h('p', { class: 'as-refusal', role: 'alert' }, useLocale().value.notLoaded)

/** A component with code of its own, loaded when it is first shown; says so when it cannot be. */
export function lazyPart<COMPONENT extends Component>(
  load: () => Promise<{ default: COMPONENT }>,
): COMPONENT {
  return defineAsyncComponent({
    loader: async () => (await load()).default,
    errorComponent: NotLoaded,
    // A page around must not wait for a part that is not in view yet.
    suspensible: false,
  })
}
