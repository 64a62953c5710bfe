export {
  defineDynamicToolRenderer,
  definePartRenderer,
  defineToolRenderer,
} from './define-renderer.ts'
export type {
  DefinePartRenderer,
  DefineToolRenderer,
  RenderedCall,
  RenderedPart,
  ToolSource,
} from './define-renderer.ts'
export type { Renderer } from './renderer.ts'
