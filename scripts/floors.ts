// Who may import whom. `check-floors.ts` holds the sources to these tables; a new folder or a new
// file of the engine gets its line here.

/** A folder of the workspace and what its files may import. */
export interface Folder {
  /** Relative to the root. */
  readonly folder: string
  /** Packages of this workspace that it may import, always by name. */
  readonly below: readonly string[]
  /** Folders that it may reach by a relative path. */
  readonly beside?: readonly string[]
  /** Folders of which its tests may use the `test` folder by a relative path. */
  readonly testsBeside?: readonly string[]
  /** Packages of which sources may import types only. `*` stands for any rest. */
  readonly typesOnly?: readonly string[]
  /** Packages that sources must not import at all. */
  readonly never?: readonly string[]
  /** Published: sources import declared dependencies only, and no test material. */
  readonly published?: boolean
  /** Folders of a published one that serve its tests only. */
  readonly testMaterial?: readonly string[]
}

const AI = ['ai', '@ai-sdk/*']
const NODE = 'node:*'
const PAGE = ['vue', '@vue/*', 'pinia']
const ALL = ['@assent/*']

export const FOLDERS: readonly Folder[] = [
  {
    folder: 'packages/engine',
    below: [],
    typesOnly: AI,
    never: ['vue', '@vue/*', 'pinia', NODE],
    published: true,
  },
  {
    folder: 'packages/vue',
    below: ['@assent/engine'],
    typesOnly: AI,
    never: [NODE],
    published: true,
    testMaterial: ['src/testing'],
  },
  {
    folder: 'packages/components',
    below: ['@assent/engine', '@assent/vue'],
    typesOnly: AI,
    never: [NODE],
    published: true,
    testMaterial: ['src/testing'],
  },
  {
    folder: 'packages/node',
    below: ['@assent/engine'],
    never: PAGE,
    published: true,
  },
  {
    folder: 'packages/workspace',
    below: ['@assent/engine'],
    testsBeside: ['packages/node'],
    never: PAGE,
    published: true,
  },
  {
    folder: 'packages/worker',
    below: ['@assent/engine', '@assent/node'],
    testsBeside: ['packages/node'],
    never: PAGE,
    published: true,
  },
  {
    folder: 'packages/telegram',
    below: ['@assent/engine', '@assent/node', '@assent/worker'],
    testsBeside: ['packages/node'],
    never: PAGE,
    published: true,
  },
  {
    folder: 'packages/postgres',
    below: ['@assent/engine', '@assent/node', '@assent/worker', '@assent/telegram'],
    testsBeside: ['packages/node', 'packages/worker', 'packages/telegram'],
    // Contracts: who has no worker installs none. Of node it uses what an audit is made of.
    typesOnly: ['@assent/worker', '@assent/telegram', ...AI],
    never: PAGE,
    published: true,
  },
  // Its gallery shows the scenes that the tests of the components look at.
  {
    folder: 'playground',
    below: ALL,
    beside: ['packages/components', 'packages/postgres'],
    testsBeside: ['packages/node'],
  },
  { folder: 'docs', below: ALL, beside: ['playground'] },
  // Benchmarks measure parts that are not public.
  {
    folder: 'bench',
    below: ALL,
    beside: ['packages/engine', 'packages/components', 'packages/node', 'packages/postgres'],
  },
]

/** The folder whose inside has floors of its own. */
export const ENGINE = 'packages/engine/src'

/**
 * The floors inside the engine, the highest first. A file may import from its own floor and from
 * those below; `x/` is a folder. A file of a room that has its own line here stands on that floor.
 */
export const ENGINE_FLOORS: readonly (readonly string[])[] = [
  ['index.ts'],
  ['sharing/'],
  ['engine.ts'],
  ['engine-options.ts'],
  ['message-engine.ts', 'outbox.ts', 'reconnect.ts', 'restore.ts', 'set-messages.ts'],
  ['runner.ts'],
  ['turn.ts', 'send-step.ts', 'step.ts'],
  ['response-watch.ts'],
  ['turn-host.ts', 'unread-answers.ts', 'command-runner.ts', 'unread-failure.ts'],
  ['plugin.ts', 'commands.ts', 'hooks.ts'],
  [
    'persistence.ts',
    'storage/conversations.ts',
    'state.ts',
    'store.ts',
    'run.ts',
    'readiness.ts',
    'answer-end.ts',
    'calls-ran-here.ts',
    'delivery.ts',
    'finish-metadata.ts',
    'queue.ts',
    'request-name.ts',
    'retry.ts',
    'waits.ts',
    'whole.ts',
    'transport/',
  ],
  ['confirmation.ts', 'drafts.ts', 'approval/'],
  ['message/'],
  [
    'development.ts',
    'error-code.ts',
    'errors.ts',
    'frame.ts',
    'owner.ts',
    'publisher.ts',
    'random-id.ts',
    'redact.ts',
    'report.ts',
    'sharing/environment.ts',
    'storage/storage.ts',
    'taken-over.ts',
    'within-ms.ts',
  ],
]

/** The floor of a file in the engine's root that has no line above. */
export const DEFAULT_FLOOR = 'turn.ts'

/** A part of the engine beside the floors. */
export interface Room {
  /** `x/` is a folder; with `x/*` each entry of the folder is a room by itself. */
  readonly room: string
  readonly imports: readonly string[]
  /** What it may import types from. */
  readonly types: readonly string[]
  /** Files outside of it that may import it. */
  readonly from: readonly string[]
}

export const ENGINE_ROOMS: readonly Room[] = [
  {
    room: 'plugins/*',
    imports: [
      'plugin.ts',
      'state.ts',
      'confirmation.ts',
      'approval/',
      'message/',
      'errors.ts',
      'development.ts',
      'redact.ts',
    ],
    types: ['commands.ts', 'delivery.ts', 'run.ts'],
    from: ['index.ts'],
  },
  {
    room: 'storage/',
    imports: [
      'plugin.ts',
      'state.ts',
      'confirmation.ts',
      'message/',
      'errors.ts',
      'owner.ts',
      'random-id.ts',
    ],
    types: ['persistence.ts', 'drafts.ts', 'storage/storage.ts', 'storage/conversations.ts'],
    from: ['index.ts'],
  },
  {
    room: 'redaction/',
    imports: ['redact.ts'],
    types: [],
    from: [],
  },
  {
    room: 'reading/',
    imports: [],
    types: [],
    from: [],
  },
  {
    room: 'remote/',
    imports: ['errors.ts'],
    types: ['sharing/', 'sharing/environment.ts', 'storage/storage.ts', 'commands.ts'],
    from: [],
  },
  {
    room: 'testing/',
    imports: ['owner.ts', 'transport/', 'message/', 'state.ts', 'errors.ts', 'within-ms.ts'],
    types: [
      'message-engine.ts',
      'plugin.ts',
      'confirmation.ts',
      'storage/storage.ts',
      'storage/conversations.ts',
    ],
    from: [],
  },
]
