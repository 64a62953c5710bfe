import { createChatHandler } from '@assent/node'
import { httpModel } from '../../../packages/node/test/kills/http-model.ts'

const { MODEL_URL = '', ON_DISCONNECT = 'continue' } = process.env

/** Its model is the test's. */
export const chat = createChatHandler({
  model: httpModel(MODEL_URL, {}),
  onDisconnect: ON_DISCONNECT === 'abort' ? 'abort' : 'continue',
  approvalSecret: 'a secret of the tests, long enough',
})
