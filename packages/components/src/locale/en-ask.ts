import type { AskWords } from './ask-words.ts'

/** Of the nouns in names of tools: `file`, `query`, `files`. */
function plural(noun: string): string {
  if (/s$/i.test(noun)) return noun
  if (/[^aeiou]y$/i.test(noun)) return `${noun.slice(0, -1)}ies`
  return /(x|z|ch|sh)$/i.test(noun) ? `${noun}es` : `${noun}s`
}

export const enAsk: AskWords = {
  suspectHost: (ascii) => `This address isn’t what it looks like. It leads to ${ascii}`,
  showInput: 'Show the input',
  hideInput: 'Hide the input',
  fromServer: 'This preview comes from the server',
  spaces: (count) => `${count} ${count === 1 ? 'space' : 'spaces'}`,
  blankLines: (count) => `${count} blank ${count === 1 ? 'line' : 'lines'}`,
  fold: {
    showAll: (count) => `Show all ${count} lines`,
    showAllCharacters: (count) => `Show all ${count} characters`,
    showLess: 'Show less',
    further: 'Also in the rest:',
  },
  elsewhere: 'You can’t edit this one. Say what should change.',
  youChanged: 'You changed this before it ran',
  undo: {
    approving: (seconds) => `Approving in ${seconds} ${seconds === 1 ? 'second' : 'seconds'}`,
    denying: (seconds) => `Denying in ${seconds} ${seconds === 1 ? 'second' : 'seconds'}`,
    undo: 'Undo',
    approveNow: 'Approve now',
    denyNow: 'Deny now',
    undone: 'Undone. Nothing was sent.',
  },
  confirm: {
    type: (word) => `Type “${word}” to continue`,
  },
  restored: 'Draft restored',
  rest: {
    more: 'more',
    unread: (label, lines) => `${label} without reading ${lines} lines`,
    shown: 'There’s more to review. Here’s the next part.',
  },
  group: {
    calls: (words, count) => {
      const [verb = '', noun, ...rest] = words
      if (count === 1) return words.join(' ')
      return noun === undefined || rest.length > 0
        ? `${words.join(' ')}, ${count} times`
        : `${verb} ${count} ${plural(noun)}`
    },
    others: (count) => `${count} more`,
    running: (count) => `${count} running`,
  },
  whole: {
    show: 'Show the whole output',
    more: 'Show more',
    gone: 'The whole output is no longer available.',
  },
}
