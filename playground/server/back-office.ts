import { randomBytes } from 'node:crypto'
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { LanguageModelV4 } from '@ai-sdk/provider'
import {
  createConversationServer,
  openDatabase,
  sqliteConversations,
  type AssentDatabase,
  type AuditLog,
  type ConversationServer,
} from '@assent/node'
import {
  createAdminHandler,
  createWorker,
  modelEngine,
  sqliteStores,
  workerSettings,
} from '@assent/worker'
import { createWorkspaceTools, type WorkspaceTools } from '@assent/workspace'
import { createScratchWorkspace } from './scratch-workspace.ts'

/** What of the server is kept, and goes on while no page is there. */
export interface BackOffice {
  readonly database: AssentDatabase
  readonly audit: AuditLog
  /** As long as the database is kept, it is the same. */
  readonly approvalSecret: Uint8Array
  /** The tools of a folder on the server. */
  readonly workspace: WorkspaceTools
  readonly conversations: ConversationServer
  /** Answers requests for the audit and the tasks, under `/api/admin`. */
  readonly admin: (request: Request) => Promise<Response>
  /** Ends the worker, and deletes what is temporary. */
  close(): Promise<void>
}

/** Options of {@link openBackOffice}. */
export interface BackOfficeOptions {
  readonly model: LanguageModelV4
  /** `ASSENT_DATABASE`, the file that is kept; `ASSENT_DECIDERS`; and the settings of the worker. */
  readonly env: Readonly<Record<string, string | undefined>>
  readonly onError: (error: unknown) => void
}

const INSTRUCTIONS =
  'You work in a folder on a server, on tasks that people have left there. Use your tools rather than ' +
  'guess. Some calls wait for a person, who approves or denies them; respect the reason of a denial.'

/** A page may come back to a conversation soon after the server was killed. */
const LEASE_MS = 3_000

/** Opens the database, and has a worker work off the tasks in it. */
export function openBackOffice({ model, env, onError }: BackOfficeOptions): BackOffice {
  const { path, remove } = databaseFile(env['ASSENT_DATABASE'])
  // By name, which nobody checks here: an app asks about users who have signed in.
  const deciders = env['ASSENT_DECIDERS']?.split(',').filter(Boolean) ?? []
  const database = openDatabase(path)
  const scratch = createScratchWorkspace()
  const workspace = createWorkspaceTools({
    root: scratch.path,
    onRefused: (refusal) => audit.recordRefusal(refusal),
  })
  const { maxAttempts, retryBaseMs, ...bounds } = workerSettings(env)
  const stores = sqliteStores(database, { maxAttempts, onError })
  const { audit } = stores
  const worker = createWorker({
    ...stores,
    retryBaseMs,
    leaseMs: LEASE_MS,
    name: `playground ${process.pid}`,
    onError,
    createEngine: modelEngine({
      model,
      instructions: INSTRUCTIONS,
      // The worker itself tries again, and shows that it does.
      settings: { maxRetries: 0 },
      tools: workspace.tools,
      toolApproval: workspace.toolApproval,
      toolOptions: workspace.toolOptions,
      timeoutMs: bounds.toolTimeoutMs,
      maxOutputLines: bounds.maxOutputLines,
      maxOutputBytes: bounds.maxOutputBytes,
    }),
  })
  const conversations = createConversationServer({
    conversations: sqliteConversations(database, {
      audit,
      isNotedElsewhere: (toolName) => toolName in workspace.tools || SERVER_TOOLS.has(toolName),
    }),
    leaseMs: LEASE_MS,
    ...(deciders.length > 0 && { mayDecide: ({ user }) => deciders.includes(user) }),
    onError,
  })
  worker.start()

  return {
    database,
    audit,
    approvalSecret: readSecret(`${path}.secret`),
    workspace,
    conversations,
    // The playground knows nobody: whoever can reach it says who they are.
    admin: createAdminHandler({
      ...stores,
      onError,
      authorize: ({ headers }) => headers.get('x-playground-user') || 'somebody',
    }),
    async close() {
      await worker.stop({ graceMs: 1_000 })
      await conversations.close()
      await database.close()
      workspace.dispose()
      scratch.remove()
      remove()
    },
  }
}

/** Tools of the chat whose calls the chat notes itself. */
const SERVER_TOOLS: ReadonlySet<string> = new Set(['server_time', 'send_report', 'delete_backup'])

function readSecret(file: string): Uint8Array {
  if (!existsSync(file)) writeFileSync(file, randomBytes(32), { mode: 0o600 })
  return readFileSync(file)
}

function databaseFile(kept: string | undefined): { path: string; remove: () => void } {
  if (kept !== undefined && kept.trim() !== '') return { path: kept, remove: () => undefined }
  const folder = mkdtempSync(join(tmpdir(), 'assent-playground-'))
  return {
    path: join(folder, 'assent.db'),
    remove: () => rmSync(folder, { recursive: true, force: true }),
  }
}
