/** The commands that every bot has, in the order of its menu. */
export const BUILT_IN = ['new', 'status', 'stop', 'permissions', 'help', 'start'] as const

/** A command that every bot has. */
export type BuiltInName = (typeof BUILT_IN)[number]
