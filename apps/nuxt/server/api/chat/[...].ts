import { toNodeListener } from '@assent/node'
import { chat } from '~~/server/chat'

export default fromNodeMiddleware(toNodeListener(chat))
