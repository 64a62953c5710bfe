import {
  defineComponent,
  getCurrentInstance,
  h,
  onErrorCaptured,
  ref,
  watch,
  type Component,
  type PropType,
  type Slot,
} from 'vue'
import { lazyPart } from '../context/lazy-part.ts'

/** Parts of a kind that the kit does not know, and those whose own component failed. */
export const UnknownPart = lazyPart(() => import('./BubbleUnknown.vue'))

interface PartScope {
  readonly part: { readonly type: string }
  readonly index: number
  readonly message: object
}

/** A part as the app shows it. If that fails, the rest of the message stands nevertheless. */
const OwnPart = defineComponent({
  name: 'OwnPart',
  props: {
    /** Stronger than a component. */
    slotFn: Function as PropType<Slot>,
    component: [Object, Function] as PropType<Component>,
    scope: {
      type: Object as PropType<PartScope>,
      required: true,
    },
  },
  setup(props) {
    const hasFailed = ref(false)
    const app = getCurrentInstance()?.appContext.config
    // Ends here: without a handler of the app's, Vue would throw it at whoever renders the list.
    onErrorCaptured((error, instance, info) => {
      hasFailed.value = true
      if (app?.errorHandler) app.errorHandler(error, instance, info)
      else globalThis.reportError?.(error)
      return false
    })
    watch(
      () => props.scope.part,
      () => (hasFailed.value = false),
    )
    const Content = () =>
      props.slotFn
        ? props.slotFn(props.scope)
        : props.component && h(props.component, { ...props.scope })
    return () =>
      hasFailed.value ? h(UnknownPart, { part: props.scope.part, isBroken: true }) : h(Content)
  },
})

export default OwnPart
