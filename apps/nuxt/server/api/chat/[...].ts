import { toNodeListener } from '@assent/node'
import { chat } from '~~/server/utils/chat'

export default fromNodeMiddleware(toNodeListener(chat))
