/** Formulas by `katex`, an optional peer, as MathML; nothing of it is loaded before one is shown. */
export { math, type MathOptions } from './math.ts'
