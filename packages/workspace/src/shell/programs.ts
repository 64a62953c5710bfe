import type { Program } from './findings.ts'
import { BUILTINS } from './programs/builtins.ts'
import { EDITING } from './programs/editing.ts'
import { git } from './programs/git.ts'
import { SEARCHING } from './programs/searching.ts'
import { SHOWING } from './programs/showing.ts'
import { SYSTEM } from './programs/system.ts'
import { WRITING } from './programs/writing.ts'
import { WRAPPERS } from './wrappers.ts'

const PROGRAMS: ReadonlyMap<string, Program> = new Map([
  ...Object.entries(WRITING),
  ...Object.entries(SYSTEM),
  ...Object.entries(SHOWING),
  ...Object.entries(SEARCHING),
  ...Object.entries(EDITING),
  ...Object.entries(BUILTINS),
  ...Object.entries(WRAPPERS),
  ['git', git] as const,
])

/** What judges the words of a program, if it is known. */
export function programOf(name: string): Program | undefined {
  return PROGRAMS.get(name)
}
