import type { FunctionalComponent, Slot } from 'vue'

/** Renders a slot that was found by name at run time. */
const SlotOutlet: FunctionalComponent<{ slotFn: Slot | undefined; scope: object }> = (props) =>
  props.slotFn?.(props.scope)
SlotOutlet.props = ['slotFn', 'scope']
SlotOutlet.displayName = 'SlotOutlet'

export default SlotOutlet
