import { defineHandler } from 'nitro'
import { chat } from '../../utils/chat.ts'

export default defineHandler(({ req }) => chat(req))
