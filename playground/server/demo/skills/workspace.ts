import { callAll, inStages } from '../outcomes.ts'
import { quotedValues, valueOf, withoutManners, type Phrase } from '../phrase.ts'
import type { Skill, ToolRequest } from '../skill.ts'

const REFUSED = /^be (overloaded|broken)(?: (\d{1,2}) times?)?,? (?:and )?then /iu

/** Works in the folder on the server: looks, reads, writes, runs commands. */
export const workInFolder: Skill = {
  name: 'work-in-folder',
  examples: [
    'List the files',
    'Write a file called “plan.md” saying “Ask first”',
    'Run the command “grep -c , sales.csv”',
    'Read the file “README.md”',
    'Search the files for “launch”',
  ],
  understand: (request) => {
    const calls = readCalls(request, withoutManners(request.text))
    return calls && inStages([callAll(calls)])
  },
}

/** Is overloaded or broken for some times before it does what it was asked, as a provider may be. */
export const refused: Skill = {
  name: 'refused',
  // For the worker, which tries again.
  examples: [],
  understand: (request) => {
    const text = withoutManners(request.text)
    const [begin, how, times] = REFUSED.exec(text) ?? []
    if (begin === undefined) return undefined
    const calls = readCalls(request, text.slice(begin.length))
    const plan = calls && inStages([callAll(calls)])
    return (steps) => ({
      ...(plan?.(steps) ?? { text: 'Now I have time.' }),
      ...(steps.length === 0 && {
        refused: { status: how?.toLowerCase() === 'broken' ? 500 : 503, times: Number(times ?? 1) },
      }),
    })
  },
}

function readCalls(request: Phrase, text: string): ToolRequest[] | undefined {
  const quoted = quotedValues(request, text)
  const [first = '', second = ''] = quoted
  if (/^(?:list|show)\b.*\bfiles\b/iu.test(text)) return [call('glob', { pattern: '**/*' })]
  if (/^(?:search|look|grep)\b.*\bfiles\b/iu.test(text)) {
    const pattern = first || valueOf(request, /\bfor\b(.*)$/isu.exec(text)?.[1] ?? '')
    return pattern === '' ? undefined : [call('grep', { pattern: literal(pattern) })]
  }
  if (/^(?:run|execute)\b/iu.test(text)) {
    const rest = text.replace(/^(?:run|execute)\s+(?:the\s+)?(?:command\s+)?/iu, '')
    const command = first || valueOf(request, rest)
    return command === '' ? undefined : [call('bash', { command })]
  }
  if (!/\bfiles?\b/iu.test(text) || first === '') return undefined
  if (/^(?:write|create|make|save)\b/iu.test(text)) {
    return [call('write', { path: first, content: second })]
  }
  if (/^(?:read|open|show)\b/iu.test(text)) return [call('read', { path: first })]
  return undefined
}

function call(toolName: string, input: ToolRequest['input']): ToolRequest {
  return { toolName, input }
}

function literal(text: string): string {
  return text.replaceAll(/[\\^$.*+?()[\]{}|]/g, String.raw`\$&`)
}
