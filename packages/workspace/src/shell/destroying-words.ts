import type { Argument } from './argument.ts'

/** What says in the words of many programs that something is taken away for good. */
const WORDS =
  'delete|del|destroy|drop|purge|prune|wipe|erase|rm|rmi|remove|rimraf|unpublish|terminate|truncate|flushall|flushdb'
const AFTER_OPTION = /^(?:-X|--request=|--?)/
/** `delete`, `delete-bucket`, `apps:destroy`. */
const WORD = new RegExp(`^(?:[\\w-]+:)?(?:${WORDS})(?:-[a-z-]+)?$`, 'i')
/** The same in a program that is given as a word: of SQL, of a shell, of Python, of Node. */
const SCRIPT =
  /\b(?:drop|truncate)\s+(?:table|database|schema|index|view|role|user)\b|\bdelete\s+from\b|\brm\s+-|\brmtree\b|\b(?:rm|rmdir|unlink)Sync\b/i
const NAME = /^(?:rimraf|drop(?:db|user)|mkfs\.\w+|blkdiscard|srm)$/i

/**
 * Whether the words of a command say that it takes something away, of whatever program. Only a sign: it makes a
 * question graver, and nothing that asks depends on it.
 */
export function destroys(name: string, args: readonly Argument[]): boolean {
  return (
    NAME.test(name) ||
    args.some(({ value = '' }) => WORD.test(value.replace(AFTER_OPTION, '')) || SCRIPT.test(value))
  )
}
