import type { LanguageModelV4Prompt, LanguageModelV4StreamPart } from '@ai-sdk/provider'

/** What a task asks for: `effect k7` calls the tool `effect` with the key `k7`; `say k7` calls none. */
export const TOOLS = ['effect', 'ask', 'safe'] as const

/**
 * Answers a prompt by what is in it, as a model does that has no memory: asks for one call, and says
 * what became of it: `ok k7`, `unknown k7` when that is not known, else `failed k7`.
 */
export function answerTo(prompt: LanguageModelV4Prompt): readonly LanguageModelV4StreamPart[] {
  const asked = prompt.findLastIndex(({ role }) => role === 'user')
  const [kind = '', key = ''] = textOf(prompt[asked]).split(' ')
  const results = prompt
    .slice(asked + 1)
    .flatMap((message) =>
      message.role === 'tool'
        ? message.content.flatMap((part) => (part.type === 'tool-result' ? part.output : []))
        : [],
    )
  const isTool = TOOLS.some((name) => name === kind)
  if (isTool && results.length === 0) {
    const input = JSON.stringify({ key })
    return streamOf('tool-calls', [
      { type: 'tool-call', toolCallId: `call-${key}`, toolName: kind, input },
    ])
  }
  const said = JSON.stringify(results)
  const what = said.includes('done:') ? 'ok' : said.includes('Interrupted') ? 'unknown' : undefined
  const told = what === undefined ? `failed ${key}: ${said}` : `${what} ${key}`
  const text = isTool ? told : `said ${key}`
  return streamOf('stop', [
    { type: 'text-start', id: 't' },
    ...[...text].map((delta) => ({ type: 'text-delta' as const, id: 't', delta })),
    { type: 'text-end', id: 't' },
  ])
}

/** What a person said. */
export function textOf(message: LanguageModelV4Prompt[number] | undefined): string {
  if (message?.role !== 'user') return ''
  return message.content.map((part) => (part.type === 'text' ? part.text : '')).join('')
}

/** The stream of an answer. */
export function streamOf(
  reason: 'stop' | 'tool-calls',
  parts: readonly LanguageModelV4StreamPart[],
): LanguageModelV4StreamPart[] {
  const usage = {
    inputTokens: { total: 1, noCache: 1, cacheRead: undefined, cacheWrite: undefined },
    outputTokens: { total: 1, text: 1, reasoning: undefined },
  }
  return [
    { type: 'stream-start', warnings: [] },
    ...parts,
    { type: 'finish', finishReason: { unified: reason, raw: reason }, usage },
  ]
}
