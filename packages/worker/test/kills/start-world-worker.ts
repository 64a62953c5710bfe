import { jsonSchema, tool } from 'ai'
import { httpModel } from '../../../node/test/kills/http-model.ts'
import { createWorker, modelEngine, type WorkerOptions } from '../../src/index.ts'

/** Starts a worker with a world to act on; it works until it is killed, or told to stop. */
export function startWorldWorker(
  stores: Pick<WorkerOptions, 'inbox' | 'conversations' | 'replies' | 'audit'>,
  { url, name, close }: { url: string; name: string; close: () => void | Promise<void> },
): void {
  const headers = { 'x-worker': name }

  const post = async (route: string, body: string, signal: AbortSignal | undefined) => {
    const response = await fetch(`${url}${route}`, {
      method: 'POST',
      headers,
      body,
      ...(signal && { signal }),
    })
    if (!response.ok) throw new Error(`${route} says ${response.status}.`)
    return response.text()
  }

  const acting = tool({
    inputSchema: jsonSchema<{ key: string }>({ type: 'object' }),
    execute: ({ key }, { abortSignal }) => post('/effect', key, abortSignal),
  })

  const worker = createWorker({
    ...stores,
    name,
    leaseMs: 1_200,
    pollMs: 40,
    retryBaseMs: 20,
    createEngine: modelEngine({
      model: httpModel(`${url}/model`, headers),
      tools: { effect: acting, ask: acting, safe: acting },
      defaultApproval: 'approved',
      toolApproval: { ask: 'user-approval' },
      // What may be done twice is, and is counted as that.
      toolOptions: { safe: { idempotent: true, onInterrupted: 'retry' } },
    }),
    onReply: async ({ task: { id: taskId }, text, mayBeRepeated, abortSignal }) => {
      await post('/reply', JSON.stringify({ taskId, text, mayBeRepeated }), abortSignal)
    },
    // What is cut off fails, and what fails is looked at by its traces.
    onError: () => undefined,
  })
  worker.start()
  process.stdout.write('working\n')
  process.stdin.once('data', () => {
    void worker
      .stop({ graceMs: 500 })
      .then(close)
      .then(() => process.exit(0))
  })
}
