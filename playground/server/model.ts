import { createOpenAICompatible } from '@ai-sdk/openai-compatible'
import type { LanguageModelV4 } from '@ai-sdk/provider'
import { createDemoModel, DEMO_MODEL_LABEL } from './demo-model.ts'

/** The model that the playground talks to. */
export interface ChosenModel {
  readonly model: LanguageModelV4
  /** What it is, for people. */
  readonly label: string
  readonly mode: 'demo' | 'endpoint'
}

/**
 * Chooses the model by environment variables.
 *
 * With `ASSENT_BASE_URL` (as far as `/v1`) it is the model `ASSENT_MODEL` of that OpenAI-compatible
 * endpoint, with `ASSENT_API_KEY` if it wants one. Without, it is the demo model, at the speed
 * `ASSENT_DEMO_SPEED` (1 is human speed).
 *
 * @throws Error that says which variable is missing or wrong
 */
export function chooseModel(env: Readonly<Record<string, string | undefined>>): ChosenModel {
  const baseURL = env['ASSENT_BASE_URL']?.trim() || undefined
  const modelId = env['ASSENT_MODEL']?.trim() || undefined
  const apiKey = env['ASSENT_API_KEY']?.trim() || undefined
  if (baseURL === undefined) {
    if (modelId !== undefined || apiKey !== undefined) {
      const given = modelId === undefined ? 'ASSENT_API_KEY' : 'ASSENT_MODEL'
      throw new Error(
        `${given} is set, but ASSENT_BASE_URL is not. Set it to the endpoint, for example http://127.0.0.1:11434/v1, or unset both for the demo model.`,
      )
    }
    return {
      model: createDemoModel({ speed: demoSpeed(env['ASSENT_DEMO_SPEED']) }),
      label: DEMO_MODEL_LABEL,
      mode: 'demo',
    }
  }
  if (!URL.canParse(baseURL) || !/^https?:$/u.test(new URL(baseURL).protocol)) {
    throw new Error(`ASSENT_BASE_URL must be an http or https address, not "${baseURL}".`)
  }
  if (modelId === undefined) {
    throw new Error(
      'ASSENT_BASE_URL is set, but ASSENT_MODEL is not. Set it to the name of a model that the endpoint serves.',
    )
  }
  const provider = createOpenAICompatible({
    name: 'endpoint',
    baseURL,
    includeUsage: true,
    ...(apiKey === undefined ? {} : { apiKey }),
  })
  return {
    model: provider.chatModel(modelId),
    label: `${modelId} at ${new URL(baseURL).host}`,
    mode: 'endpoint',
  }
}

function demoSpeed(value: string | undefined): number {
  if (value === undefined || value.trim() === '') return 1
  const speed = Number(value)
  if (speed > 0) return speed
  throw new Error(
    `ASSENT_DEMO_SPEED must be a positive number, not "${value}". 1 is human speed, 100 a hundred times that.`,
  )
}
