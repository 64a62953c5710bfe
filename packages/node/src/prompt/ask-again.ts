import type { ModelCall, Prompt, PromptedModel } from './prompt.ts'

type Answer = Awaited<ReturnType<PromptedModel['doStream']>>
type Part =
  Answer['stream'] extends ReadableStream<infer PART extends { type: string }> ? PART : never

/** How a model is asked, and again where it has refused. */
export interface AskAgainOptions {
  readonly ask: (call: ModelCall) => PromiseLike<Answer>
  /** The prompt with less in it; throws what is to be told where that does not help. */
  readonly less: (prompt: Prompt, error: unknown) => Prompt
}

/** After so many refusals it is none of what the prompt carries. */
const MOST = 4

/** Parts of a stream that say nothing yet. */
const UNSPOKEN: ReadonlySet<string> = new Set<Part['type']>([
  'stream-start',
  'response-metadata',
  'raw',
])

/** Asks a model, and again with less in its prompt where it refuses that before it has said anything. */
export async function askAgain(first: ModelCall, { ask, less }: AskAgainOptions): Promise<Answer> {
  let call = first
  let asked = 0
  const reduce = (error: unknown) => {
    if (asked >= MOST || call.abortSignal?.aborted) throw error
    call = { ...call, prompt: less(call.prompt, error) }
  }
  const next = async (): Promise<Answer> => {
    for (;;) {
      try {
        asked += 1
        return await ask(call)
      } catch (error) {
        reduce(error)
      }
    }
  }

  const answer = await next()
  let reader = answer.stream.getReader()
  let isSpoken = false
  let isStarted = false
  let isCancelled = false

  /** Turns to the answer of another request; else answers why there is none. */
  const recover = async (refusal: Part & { type: 'error' }): Promise<Part | undefined> => {
    try {
      reduce(refusal.error)
      const again = await next()
      void reader.cancel().catch(() => undefined)
      reader = again.stream.getReader()
      if (isCancelled) void reader.cancel().catch(() => undefined)
      return undefined
    } catch (error) {
      return { ...refusal, error }
    }
  }

  async function read(): Promise<Part | undefined> {
    for (;;) {
      const { done, value } = await reader.read()
      if (done) return undefined
      if (value.type === 'error' && !isSpoken) {
        const told = await recover(value)
        if (told) return told
        continue
      }
      isSpoken ||= !UNSPOKEN.has(value.type)
      // The stream of another request begins anew, and is the same to whoever reads it.
      const isRepeated = value.type === 'stream-start' && isStarted
      isStarted ||= value.type === 'stream-start'
      if (!isRepeated) return value
    }
  }

  const stream = new ReadableStream<Part>(
    {
      async pull(controller) {
        const part = await read()
        if (part) controller.enqueue(part)
        else controller.close()
      },
      async cancel(reason) {
        isCancelled = true
        await reader.cancel(reason)
      },
    },
    { highWaterMark: 0 },
  )
  return { ...answer, stream }
}
