import * as fc from 'fast-check'
import { EVERYDAY } from './everyday-commands.fixture.ts'

/** Programs that change something. */
export const HARMFUL = ['rm', 'touch', 'mv', 'curl', 'kill', 'xcmd'] as const
/** Programs that only read. */
export const QUIET = ['ls', 'cat', 'grep', 'git', 'sort', 'find', 'head', 'wc'] as const

const words =
  'echo true test [ ] [[ ]] if then fi for in do done case esac while { } ( ) (( )) ! time x a -v ' +
  '-n \' " \\ ` $ $( ${ } $(( )) # ~ = x= x=rm $x | || & && ; ;; < > << <<< 2>&1 * ? {a,b} .. $@ ' +
  '"$x" \'\' "" $\' $" :- @P eval exec command env xargs builtin a[ 0 -eq'
const token = fc.constantFrom(
  ...HARMFUL,
  ...QUIET,
  ...words.split(' '),
  '\n',
  ' ',
  '\t',
  '<<EOF\n',
  '\nEOF\n',
  'sh -c',
  'timeout 1',
)
const soup = fc
  .array(fc.tuple(token, fc.constantFrom('', ' ', ' ')), { minLength: 1, maxLength: 14 })
  .map((words) => words.flat().join(''))
const edited = fc
  .tuple(fc.constantFrom(...EVERYDAY), fc.nat(), token)
  .map(([command, at, word]) => {
    const place = at % (command.length + 1)
    return command.slice(0, place) + word + command.slice(place)
  })

/** Command lines as nobody writes them, and everyday ones with something in them. */
export const commandSoup = fc.oneof(soup, edited)
