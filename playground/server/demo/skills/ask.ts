import { readable } from '../json-fields.ts'
import { inStages } from '../outcomes.ts'
import { valueOf, withoutManners } from '../phrase.ts'
import type { SettledStep } from '../prompt.ts'
import type { Plan, Skill } from '../skill.ts'

const ASK = /^ask me\s+(?<question>.+?)(?:,?\s+(?:and|then)\s+(?:then\s+)?(?<write>.+))?$/isu
const NOTED = /^(?:write|note|jot|put|save)\b/iu

/** A question to the person, whose answer is the tool's output; a note is made of it if so asked. */
export const askPerson: Skill = {
  name: 'ask-person',
  examples: ['Ask me what to pack for Lisbon, then write it down'],
  understand: (request) => {
    const { question, write } = ASK.exec(withoutManners(request.text))?.groups ?? {}
    if (question === undefined) return undefined
    const subject = valueOf(request, question)
    const asked = subject.charAt(0).toUpperCase() + subject.slice(1)
    const call = { toolName: 'ask_user', input: { question: `${asked}?` } }
    const askFirst: Plan = () => ({ text: 'That is for you to say.', calls: [call] })
    const thenWrite: Plan = ([step]) => ({
      text: 'I will write that down.',
      calls: [{ toolName: 'write_note', input: { title: asked, content: answerIn(step) } }],
    })
    return inStages(write !== undefined && NOTED.test(write) ? [askFirst, thenWrite] : [askFirst])
  },
}

function answerIn(step: SettledStep | undefined): string {
  const outcome = step?.calls[0]?.outcome
  return outcome?.kind === 'output' ? readable(outcome.value) : ''
}
