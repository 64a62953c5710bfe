import { h, shallowRef, type FunctionalComponent, type VNode } from 'vue'

/** A formula as elements. */
export type Formula = FunctionalComponent

type Render = (source: string, isBlock: boolean) => string

/** What turns TeX into MathML, once it is loaded. */
export const loadedFormulas = shallowRef<Render>()
let loading: Promise<void> | undefined

/** Loads {@link loadedFormulas}; a failure is tried again the next time. */
export function loadFormulas(): Promise<void> {
  loading ??= import('katex').then(
    ({ default: katex }) => {
      loadedFormulas.value = (source, displayMode) =>
        katex.renderToString(source, {
          displayMode,
          output: 'mathml',
          // No links, no images, no attributes of the author's.
          trust: false,
          strict: 'ignore',
          throwOnError: true,
          maxExpand: 500,
          maxSize: 20,
        })
    },
    () => {
      loading = undefined
    },
  )
  return loading
}

/** `undefined` where the source is not valid. */
export function formulaToElements(
  render: Render,
  source: string,
  isBlock: boolean,
): Formula | undefined {
  try {
    // A document without a window: nothing in it is loaded or run.
    const parsed = new DOMParser().parseFromString(render(source, isBlock), 'text/html')
    const root = parsed.querySelector('math')
    if (!root) return undefined
    return () => toElement(root)
  } catch {
    return undefined
  }
}

const ELEMENTS = new Set(
  `math semantics annotation mi mn mo mtext mspace ms mrow mfrac msqrt mroot mstyle mpadded mphantom
  menclose msub msup msubsup munder mover munderover mmultiscripts mprescripts mtable mtr mtd`
    .split(/\s+/)
    .map((name) => name.toLowerCase()),
)
const ATTRIBUTES = new Set(
  `display encoding mathvariant mathcolor mathbackground mathsize stretchy symmetric fence separator
  accent accentunder form largeop movablelimits lspace rspace width height depth voffset minsize maxsize
  linethickness displaystyle scriptlevel columnalign rowalign columnspacing rowspacing columnlines
  rowlines columnspan rowspan notation side`.split(/\s+/),
)

/** Only what formulas are made of; anything else is left as the text in it. */
function toElement(element: Element): VNode | string {
  const name = element.localName
  if (!ELEMENTS.has(name)) return element.textContent
  const attributes: Record<string, string> = {}
  for (const { name, value } of element.attributes) {
    if (ATTRIBUTES.has(name)) attributes[name] = value
  }
  const children = [...element.childNodes].map((child) =>
    child instanceof Element ? toElement(child) : (child.textContent ?? ''),
  )
  return h(name, attributes, children)
}
