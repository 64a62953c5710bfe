/**
 * What a command may do beyond reading the workspace, each apart: change files, use the network, change
 * the settings and hooks of Git, read files that may hold secrets.
 */
export type Right = 'write' | 'network' | 'git-settings' | 'credentials'

/** Every right there is, in the order in which people read them. */
export const RIGHTS = ['write', 'network', 'git-settings', 'credentials'] as const satisfies Right[]
