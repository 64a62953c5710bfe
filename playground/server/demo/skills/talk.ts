import { readFileSync } from 'node:fs'
import { valueOf, withoutManners } from '../phrase.ts'
import type { Skill } from '../skill.ts'

const LONG_ANSWER = readFileSync(new URL('../long-answer.md', import.meta.url), 'utf8')

/** About 10 KB of markdown, to read along and to stop. */
export const longAnswer: Skill = {
  name: 'long-answer',
  examples: ['Write a long answer about asking before acting'],
  understand: (request) => {
    const text = withoutManners(request.text)
    const asked =
      /\blong\s+(?:answer|text|essay|story|article|explanation|read)\b/iu.test(text) ||
      /\b(?:at length|in (?:great )?detail)\b/iu.test(text)
    if (!asked) return undefined
    const topic = /\b(?:about|on)\s+(.+)$/isu.exec(text)?.[1]
    const named = topic === undefined ? 'asking before acting' : valueOf(request, topic)
    return () => ({ text: LONG_ANSWER.replace('{{topic}}', () => named) })
  },
}

/** Streams its reasoning before it speaks. */
export const think: Skill = {
  name: 'think',
  examples: ['Think about whether a robot should ask before it acts'],
  understand: (request) => {
    const text = withoutManners(request.text)
    const found =
      /^(?:think|reflect|reason|ponder|muse)(?:\s+(?:hard|aloud|a bit))?\b(.*)$/isu.exec(text)
    if (!found) return undefined
    const rest = (found[1] ?? '').replace(/^\s*(?:about|on|over|through)\s+/iu, '')
    const topic = valueOf(request, rest) || 'nothing in particular'
    const words = topic.split(/\s+/u)
    const longest = words.reduce((best, word) => (word.length > best.length ? word : best), '')
    return () => ({
      reasoning: [
        `The person asks me to think about “${topic}”.`,
        'I am a demo model and there is no AI inside, so an opinion of mine would be made up.',
        `What can I say that is true? It is ${words.length === 1 ? 'one word' : `${words.length} words`}, ${[...topic].length} characters.`,
        `The longest word is “${longest}”, and it probably carries the most of the meaning.`,
        'The notes may hold more about it, but I was asked to think and not to search, so I will only offer that.',
      ].join('\n\n'),
      text:
        `I thought about “${topic}”, as far as a demo model can: I counted ${words.length === 1 ? 'one word' : `${words.length} words`}, ` +
        `and “${longest}” seems to be the one that matters. For a thought of substance, connect a real model. ` +
        `What I can do is look it up: say *search my notes for “${longest}”*.`,
    })
  },
}

/** Fails in the middle of its answer, as a provider may. */
export const breakOff: Skill = {
  name: 'break-off',
  examples: ['Break off in the middle of your answer'],
  understand: (request) => {
    if (!/^(?:break off|fail|crash|cut (?:off|out))\b/iu.test(withoutManners(request.text))) {
      return undefined
    }
    return () => ({
      text: 'This answer begins well, and it would have gone on to say a good deal more, but',
      breaksOff: 'The demo model broke off its answer, as it was asked to.',
    })
  },
}
