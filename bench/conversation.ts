import { useChat } from '@ai-sdk/vue'
import { useMessage } from '@assent/vue'
import type { ChatTransport, UIMessage } from 'ai'
import { effectScope } from 'vue'
import { figure, type Figure } from './figures.ts'
import { race, type Contestant } from './measure.ts'
import { historyOf, longAnswer, streamOf } from './sample-streams.ts'

const DELTAS = 5_000

/** An answer through a whole conversation that nobody renders, from its stream to its last state. */
export async function measureConversation(): Promise<Figure[]> {
  const figures: Figure[] = []
  for (const history of [0, 500, 2_000]) figures.push(await compare(history))
  return figures
}

async function compare(history: number): Promise<Figure> {
  const chunks = longAnswer(DELTAS)
  const contestant = (
    name: string,
    start: (messages: UIMessage[]) => Conversation,
  ): Contestant => ({
    name,
    units: chunks.length,
    prepare() {
      const scope = effectScope()
      const conversation = scope.run(() => start(historyOf(history)))
      return async () => {
        await conversation?.send()
        const length = conversation?.length()
        scope.stop()
        if (length !== history + 2) throw new Error(`${name} has ${length} messages.`)
      }
    },
  })
  const transport = (): ChatTransport<UIMessage> => ({
    sendMessages: async () => streamOf(chunks),
    reconnectToStream: async () => null,
  })
  const ours = contestant('useMessage', (messages) => {
    const chat = useMessage({ messages, transport: transport() })
    return { send: () => chat.sendMessage('Hi'), length: () => chat.messages.value.length }
  })
  const peer = contestant('useChat', (messages) => {
    const chat = useChat({ messages, transport: transport() })
    return {
      send: () => chat.sendMessage({ text: 'Hi' }),
      length: () => chat.messages.value.length,
    }
  })
  const costs = await race([ours, peer])
  return figure({
    name: `conversation without a page, history of ${history} messages`,
    value: costs.get(ours.name) ?? Number.NaN,
    unit: 'µs/chunk',
    peer: { name: '@ai-sdk/vue useChat', value: costs.get(peer.name) ?? Number.NaN },
  })
}

interface Conversation {
  send(): Promise<unknown>
  length(): number
}
