import type { UIMessage } from 'ai'
import type { EnginePlugin, PluginContext } from '../../src/plugin.ts'
import { HOOKS, type Hook } from './plan.ts'
import type { Stage } from './stage.ts'

/** A plugin whose hooks take their time, one of which fails, and whose commands move the turn. */
export function guardPlugin({ plan, model, gate }: Stage): EnginePlugin {
  const counts = new Map<Hook, number>()
  let appended = 0
  const hooked = async (hook: Hook, { abortSignal }: PluginContext): Promise<undefined> => {
    model.hooked(abortSignal, hook)
    const count = (counts.get(hook) ?? 0) + 1
    counts.set(hook, count)
    if (plan.slowHooks.includes(hook)) await gate(hook)
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

function userMessage(id: string): UIMessage {
  return { id, role: 'user', parts: [{ type: 'text', text: id }] }
}
