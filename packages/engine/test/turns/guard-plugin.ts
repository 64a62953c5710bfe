import type { UIMessage } from 'ai'
import type { EnginePlugin, PluginContext } from '../../src/plugin.ts'
import { HOOKS, type Hook } from './plan.ts'
import type { Stage } from './stage.ts'

/** A plugin whose hooks take their time, one of which fails, and whose commands move the turn. */
export function guardPlugin({ plan, model, gate }: Stage): EnginePlugin {
  const counts = new Map<Hook, number>()
  let appended = 0
  let notes = 0
  const hooked = async (hook: Hook, context: PluginContext): Promise<undefined> => {
    model.hooked(context.abortSignal, hook)
    const count = (counts.get(hook) ?? 0) + 1
    counts.set(hook, count)
    if (plan.slowHooks.includes(hook)) {
      await gate(hook)
      if (!AFTERWARDS.includes(hook)) note(context, ++notes)
    }
    const { failingHook } = plan
    if (failingHook?.hook === hook && failingHook.count === count) throw new Error('hook failed')
  }
  const hooks = HOOKS.map((hook) => [hook, (context: PluginContext) => hooked(hook, context)])
  return {
    name: 'guard',
    commands: {
      next: (_payload, { requestNext }) => requestNext({ resume: true }),
      advance: (_payload, { advance }) => advance(),
      append: (_payload, { appendMessage, requestNext }) => {
        appendMessage(userMessage(`appended ${++appended}`))
        requestNext()
      },
    },
    ...Object.fromEntries(hooks),
  }
}

/** Hooks of a turn that is over, which may write until another one begins. */
const AFTERWARDS: readonly Hook[] = ['onTurnAbort', 'onError', 'onFinally']

/** Writes to the last answer, which may have ended meanwhile: then nothing may come of it. */
function note({ getState, updateMessage }: PluginContext, noted: number): void {
  const last = getState().messages.at(-1)
  if (last?.role !== 'assistant') return
  updateMessage(last.id, (message) => ({ ...message, metadata: { noted } }))
}

function userMessage(id: string): UIMessage {
  return { id, role: 'user', parts: [{ type: 'text', text: id }] }
}
