import { COMPONENT_NAMES, PREFIX } from '../install/component-names.ts'

/** Options of {@link AssentResolver}. */
export interface AssentResolverOptions {
  /** What the names of the components begin with in templates. Default `'As'`. */
  prefix?: string
  /** Whether a file that uses a component also imports the stylesheet. Default `true`. */
  style?: boolean
}

/** What is to be imported for a component. */
export interface ResolvedComponent {
  name: string
  from: string
  sideEffects?: string
}

/** A resolver of `unplugin-vue-components`. */
export interface AssentComponentResolver {
  type: 'component'
  resolve: (name: string) => ResolvedComponent | undefined
}

const PACKAGE = '@assent/components'

/**
 * Finds the components that templates name, for `unplugin-vue-components`; only those come into the
 * bundle.
 *
 * ```ts
 * Components({ resolvers: [AssentResolver()] })
 * ```
 */
export function AssentResolver(options: AssentResolverOptions = {}): AssentComponentResolver {
  const { prefix = PREFIX, style = true } = options
  const byName = new Map<string, string>(
    COMPONENT_NAMES.map((name) => [prefix + name.slice(PREFIX.length), name]),
  )
  return {
    type: 'component',
    resolve(name) {
      const found = byName.get(name)
      if (found === undefined) return undefined
      return { name: found, from: PACKAGE, ...(style && { sideEffects: `${PACKAGE}/style.css` }) }
    },
  }
}
