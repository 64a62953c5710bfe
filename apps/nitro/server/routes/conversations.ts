import { defineWebSocketHandler } from 'nitro'
import { conversations, userOf } from '../conversations.ts'

const pages = new Map<string, ReturnType<typeof conversations.connect>>()

export default defineWebSocketHandler({
  open(peer) {
    const user = userOf(peer.request)
    if (!user) return peer.close(4401, 'Sign in to go on.')
    const page = conversations.connect({ user, send: (text) => void peer.send(text) })
    pages.set(peer.id, page)
  },
  message: (peer, message) => pages.get(peer.id)?.receive(message.text()),
  close(peer) {
    pages.get(peer.id)?.close()
    pages.delete(peer.id)
  },
})
