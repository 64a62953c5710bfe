import { onTestFinished } from 'vitest'
import type { MessageEngineOptions } from '../src/message-engine.ts'
import type { ToolPluginOptions } from '../src/plugins/tools/options.ts'
import { httpTransport } from '../src/transport/http-transport.ts'
import {
  startGuardedServer,
  type GuardedServer,
  type GuardedServerOptions,
} from './guarded-server.ts'
import { createToolEngine, type ToolEngine } from './tool-engine.ts'

/** A guarded server that is closed with its test. */
export async function serve(options: GuardedServerOptions): Promise<GuardedServer> {
  const server = await startGuardedServer(options)
  onTestFinished(() => server[Symbol.asyncDispose]())
  return server
}

/** An engine that talks to a guarded server over HTTP; disposed with its test. */
export function connect(
  { origin }: GuardedServer,
  tools: ToolPluginOptions = {},
  options: Partial<MessageEngineOptions> = {},
): Omit<ToolEngine, 'transport' | 'sentCalls'> {
  const connected = createToolEngine([], tools, {
    transport: httpTransport({ api: origin }),
    ...options,
  })
  onTestFinished(() => connected.engine.dispose())
  return connected
}
