// A user's server; compiled against the published packages, never run.
import { createWorkspaceTools, WorkspaceRefusal, type Refusal } from '@assent/workspace'
import { judgeCommand, type CommandJudgement } from '@assent/workspace/shell'
import { toolPlugin } from '@assent/engine'
import { streamText, type LanguageModel } from 'ai'

const refusals: Refusal[] = []

const { tools, toolApproval, toolOptions } = createWorkspaceTools({
  root: '.',
  roots: { state: { path: './state', access: 'write' } },
  shell: 'system',
  commands: { allow: ['npm test'], deny: ['git push *'] },
  onRefused: (refusal) => refusals.push(refusal),
})

/** On a server that runs the tools itself. */
export function answer(model: LanguageModel): AsyncIterable<string> {
  return streamText({ model, tools, toolApproval, prompt: 'What is here?' }).textStream
}

/** In an engine that runs in Node. */
export const plugin = toolPlugin({ tools, toolApproval, toolOptions })

/** `attach` is there when it is given. */
export const attaching = createWorkspaceTools({ root: '.', attach: ({ name }) => ({ name }) })
export const summary: string | undefined = attaching.toolOptions.attach.summary?.({ path: 'a.txt' })

export const judgement: CommandJudgement = judgeCommand('ls | head', { ask: ['ls *'] })
export const isRefusal = (error: unknown): boolean =>
  error instanceof WorkspaceRefusal && error.code === 'outside'

// @ts-expect-error -- there is no such tool without the option
export const none = createWorkspaceTools({ root: '.' }).tools.attach
