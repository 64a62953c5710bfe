import { randomBytes } from 'node:crypto'
import { createChatHandler, describeModelError } from '@assent/node'
import type { LanguageModelV4 } from '@ai-sdk/provider'
import type { BackOffice } from './back-office.ts'
import { createServerTools, serverToolApproval, type ServerWorld } from './server-tools.ts'

const INSTRUCTIONS = [
  'You are the assistant of a small notes app. Help with the notes, and with what your other tools can do.',
  'Use tools rather than guess, and make calls that do not depend on each other in one step.',
  'Some calls are shown to the person, who approves or denies them. Do not ask for permission in',
  'words; make the call. When one is denied, respect the reason and do not try the same again.',
].join(' ')

/** Options of {@link createChat}. */
export interface ChatOptions {
  model: LanguageModelV4
  world: ServerWorld
  /** The folder to work in, and where the calls of the server are noted. */
  office?: BackOffice
  /** Is told of what went wrong on the way, with the original error. */
  onError?: (error: unknown) => void
}

/** Answers the chat requests of the playground, under `/api/chat`. */
export function createChat({
  model,
  world,
  office,
  onError,
}: ChatOptions): (request: Request) => Promise<Response> {
  return createChatHandler({
    model,
    instructions: INSTRUCTIONS,
    tools: { ...createServerTools(world), ...office?.workspace.tools },
    toolApproval: { ...serverToolApproval, ...office?.workspace.toolApproval },
    // What waits can be approved after a restart when it is kept, and not otherwise.
    approvalSecret: office?.approvalSecret ?? randomBytes(32),
    ...(office
      ? {
          audit: office.audit,
          database: office.database,
          toolOptions: office.workspace.toolOptions,
        }
      : { ledger: 'memory' as const }),
    // It serves one person, on their own machine.
    rateLimit: false,
    // Whoever runs the playground has chosen the endpoint, and wants to know what it says.
    describeError: describeModelError,
    ...(onError && { onError }),
  })
}
