import { httpModel } from '../../../node/test/kills/http-model.ts'
import { createWorker, modelEngine, type WorkerOptions } from '../../src/index.ts'

/** Starts the worker of a process that ends in the middle of every task `poison`. */
export function startDoomedWorker(
  stores: Pick<WorkerOptions, 'inbox' | 'conversations' | 'replies' | 'audit'>,
  url: string,
  name: string,
): void {
  const headers = { 'x-worker': name }
  const post = async (route: string, body: string): Promise<void> => {
    await fetch(`${url}${route}`, { method: 'POST', headers, body })
  }
  const createEngine = modelEngine({ model: httpModel(`${url}/model`, headers), tools: {} })
  const worker = createWorker({
    ...stores,
    name,
    // Only the end of a process is to end a lease, and not a machine that is busy.
    leaseMs: 1_500,
    pollMs: 40,
    async createEngine(context) {
      if (context.task.id !== 'poison') return createEngine(context)
      await post('/effect', 'poison')
      process.kill(process.pid, 'SIGKILL')
      return new Promise(() => undefined)
    },
    onReply: ({ task: { id: taskId }, text, mayBeRepeated }) =>
      post('/reply', JSON.stringify({ taskId, text, mayBeRepeated })),
    onDead: ({ id: taskId }, { code }) =>
      post('/reply', JSON.stringify({ taskId, text: `dead: ${code}`, mayBeRepeated: false })),
    onError: () => undefined,
  })
  worker.start()
  process.stdin.once('data', () => {
    void worker.stop({ graceMs: 500 }).then(() => process.exit(0))
  })
}
