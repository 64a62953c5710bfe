import type { InferUITools } from 'ai'
import type { ServerTools } from '../server/server-tools.ts'

/** Inputs and outputs of the tools that run on the server, for typed slots and summaries. */
export type ServerUITools = InferUITools<ServerTools>

/** Input of one of the server's tools. */
export type ServerToolInput<NAME extends keyof ServerUITools> = ServerUITools[NAME]['input']
