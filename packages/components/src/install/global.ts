import type { AssentGlobalComponents } from './global-components.ts'

/*
 * What `app.use(AssentComponents)` registers, for editors and `vue-tsc`. Not imported by the package
 * itself: only those who register the components name `@assent/components/global` in their `types`.
 */
declare module 'vue' {
  interface GlobalComponents extends AssentGlobalComponents {}
}
