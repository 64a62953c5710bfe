import type { LanguageModelV4, LanguageModelV4Prompt } from '@ai-sdk/provider'
import { createBackups } from '../backups.ts'
import { createChat } from '../chat.ts'
import { createDemoModel } from '../demo-model.ts'
import { createOutbox } from '../outbox.ts'
import type { ServerWorld } from '../server-tools.ts'
import { serve, type Served } from './serve.ts'

/** A chat handler that is served on loopback, with all that it did to be looked at. */
export interface ServedChat extends Served {
  readonly world: ServerWorld
  /** The prompts that the model was given. */
  readonly prompts: readonly LanguageModelV4Prompt[]
  /** What `onError` was told. */
  readonly failures: readonly unknown[]
}

/** @param model default: the demo model, as fast as it can */
export async function startChat(
  model: LanguageModelV4 = createDemoModel({ speed: Infinity }),
): Promise<ServedChat> {
  const world = { outbox: createOutbox(), backups: createBackups(), now: () => new Date() }
  const prompts: LanguageModelV4Prompt[] = []
  const failures: unknown[] = []
  const observed: LanguageModelV4 = {
    specificationVersion: 'v4',
    provider: model.provider,
    modelId: model.modelId,
    supportedUrls: model.supportedUrls,
    doGenerate: (options) => model.doGenerate(options),
    doStream: (options) => {
      prompts.push(options.prompt)
      return model.doStream(options)
    },
  }
  const onError = (error: unknown) => void failures.push(error)
  const served = await serve(createChat({ model: observed, world, onError }))
  return { ...served, world, prompts, failures }
}
