import { defineHandler } from 'nitro'
import { chat } from '../../chat.ts'

export default defineHandler(({ req }) => chat(req))
