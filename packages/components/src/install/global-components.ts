import type * as components from './components.ts'

type Components = typeof components

/**
 * The components as `app.use(AssentComponents, { prefix })` registers them; for a prefix of one's own:
 *
 * ```ts
 * declare module 'vue' {
 *   interface GlobalComponents extends AssentGlobalComponents<'Chat'> {}
 * }
 * ```
 */
export type AssentGlobalComponents<PREFIX extends string = 'As'> = {
  [
    NAME in keyof Components as NAME extends `As${infer REST}` ? `${PREFIX}${REST}` : never
  ]: Components[NAME]
}
