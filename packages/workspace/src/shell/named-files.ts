import { HERE, type Argument, type NamedFiles } from './argument.ts'

/** The files that a command names in its output, one a line, as far as that is known by its words. */
export function filesNamedBy([name, ...args]: readonly Argument[]): Argument | undefined {
  switch (name?.value?.replace(/^\/(?:usr\/)?bin\//, '')) {
    case 'find':
      return namedByFind(args)
    case 'git':
      return args[0]?.value === 'ls-files' && args.every(isKnown)
        ? toArgument({ folders: [HERE], isTracked: true }, './')
        : undefined
    case 'grep':
      return namedByGrep(args, /^-(?=[a-zA-Z]*l)(?=[a-zA-Z]*r)[a-zA-Z]+$/)
    case 'rg':
      return namedByGrep(args, /^-[a-zA-Z]*l$|^--files$/)
    default:
      return undefined
  }
}

/** What `find` finds: below its folders, with the names that it is told, if that is all. */
export function namedByFind(args: readonly Argument[]): Argument | undefined {
  const end = args.findIndex(({ start }) => /^[-(!,]/.test(start))
  const folders = end === -1 ? [...args] : args.slice(0, end)
  const tests = end === -1 ? [] : args.slice(end)
  if (!folders.every(isKnown)) return undefined
  if (tests.some(({ start }) => /^-(?:f?printf|fls|ls)$/.test(start))) return undefined
  const isOr = tests.some(({ start }) => /^(?:-o|-or|,|\()$/.test(start))
  // Several names hold at a time: the first one does.
  const [name] = tests.flatMap(({ value }, index) => {
    const isNot = /^(?:!|-not)$/.test(tests[index - 2]?.value ?? '')
    const isName = tests[index - 1]?.value === '-name'
    return isName && !isNot && value !== undefined ? [value] : []
  })
  const [first = HERE] = folders
  return toArgument(
    {
      folders: folders.length === 0 ? [HERE] : folders,
      ...(!isOr && name !== undefined && { names: [name] }),
    },
    `${first.start}/`,
  )
}

/** An option of grep or rg that takes a word of its own: then it is not known which one is the pattern. */
const TAKES_WORD = /^-(?:[a-zA-Z]*[efABCmgtTjdDMr])$/

/** The files in which something was found: the last words name where it was searched. */
function namedByGrep(args: readonly Argument[], lists: RegExp): Argument | undefined {
  const options = args.flatMap(({ value = '' }) => (value.startsWith('-') ? [value] : []))
  if (!args.every(isKnown) || !options.some((option) => lists.test(option))) return undefined
  if (options.some((option) => TAKES_WORD.test(option) && !lists.test(option))) return undefined
  const words = args.filter(({ start }) => !start.startsWith('-'))
  const folders = options.includes('--files') ? words : words.slice(1)
  const [first] = folders
  return first ? toArgument({ folders }, `${first.start}/`) : undefined
}

function isKnown({ value }: Argument): boolean {
  return value !== undefined
}

function toArgument(files: NamedFiles, start: string): Argument {
  return { text: '…', start, isOne: false, files, isSplit: true }
}
