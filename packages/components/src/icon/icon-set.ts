import type { Component } from 'vue'
import type * as icons from './icons.ts'

type Exported = keyof typeof icons

/** The icons that can be replaced: `'check'`, `'arrowUp'`, … */
export type IconName = Exported extends `Icon${infer NAME}` ? Uncapitalize<NAME> : never

/**
 * Components that stand in the place of icons, by name. Each is given the class `as-icon`, which sets
 * its size, and inherits its colour.
 */
export type IconSet = { readonly [NAME in IconName]?: Component }
