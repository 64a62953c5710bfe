import type { Tool, ToolApprovalStatus, ToolSet } from 'ai'
import type { ApprovalInvariant } from './invariants.ts'
import type { ApprovalPage, OpenPage, PageDecision, PageSetup } from './page-site.ts'
import type { ApprovalSetup, KitRule } from './world.ts'

/** A mistake, made around something that is right. */
export interface Fault<OPEN> {
  /** What it makes of a page or a route: one that … */
  readonly name: string
  readonly breaks: ApprovalInvariant
  make(open: OPEN): OPEN
}

type Open<SETUP, SITE> = (setup: SETUP) => SITE

/** Mistakes that anything can make that runs tools. */
export function setupFaults<SETUP extends ApprovalSetup, SITE>(): Fault<Open<SETUP, SITE>>[] {
  const ruled =
    (change: (ask: () => Promise<ToolApprovalStatus>) => ReturnType<KitRule>) =>
    (open: Open<SETUP, SITE>): Open<SETUP, SITE> =>
    (setup) =>
      open({ ...setup, toolApproval: (question) => change(() => setup.toolApproval(question)) })
  const running =
    (execute: (run: (input: unknown) => unknown, input: unknown) => unknown) =>
    (open: Open<SETUP, SITE>): Open<SETUP, SITE> =>
    (setup) =>
      open({ ...setup, tools: wrapped(setup.tools, execute) })
  return [
    {
      name: 'runs calls before anybody decided',
      breaks: 'nothing runs without a yes',
      make: ruled(async (ask) => (await ask()) ?? 'approved'),
    },
    {
      name: 'takes a verdict that it does not know for a yes',
      breaks: 'what is no verdict asks',
      make: ruled(async (ask) => {
        const says = await ask()
        const isKnown =
          says === undefined || VERDICTS.has(typeof says === 'string' ? says : says?.type)
        return isKnown ? says : 'approved'
      }),
    },
    {
      name: 'takes a rule that fails for a yes',
      breaks: 'what is no verdict asks',
      make: ruled((ask) => ask().catch(() => 'approved' as const)),
    },
    {
      name: 'lets a person overrule a deny',
      breaks: "a rule's deny beats a yes",
      make: ruled(async (ask) => {
        const says = await ask()
        const isDenied = says === 'denied' || (typeof says === 'object' && says?.type === 'denied')
        return isDenied ? 'user-approval' : says
      }),
    },
    {
      name: 'denies what the rules approve',
      breaks: 'what was let run does run, and what is to be asked waits',
      make: ruled(async (ask) => {
        const says = await ask()
        return says === 'approved' ? 'denied' : says
      }),
    },
    {
      name: 'runs each call twice',
      breaks: 'a yes runs its call once',
      make: running(async (run, input) => {
        await run(input)
        return run(input)
      }),
    },
    {
      name: 'runs another input than was approved',
      breaks: 'what runs is what was approved',
      make: running((run) => run({ path: '/other' })),
    },
  ]
}

const VERDICTS: ReadonlySet<unknown> = new Set([
  'approved',
  'denied',
  'user-approval',
  'not-applicable',
])

function wrapped(
  tools: ToolSet,
  execute: (run: (input: unknown) => unknown, input: unknown) => unknown,
): ToolSet {
  return Object.fromEntries(
    Object.entries(tools).map(([name, tool]): [string, Tool] => [
      name,
      {
        ...tool,
        execute: (input, options) => execute((given) => tool.execute?.(given, options), input),
      },
    ]),
  )
}

type Decide = (decision: PageDecision) => Promise<unknown>

const deciderOf = ({ decide, engine }: ApprovalPage): Decide =>
  decide ??
  (async (decision) => (await engine.runPluginCommand('tool', 'resumeToolCall', decision)).success)

/** Changes how a page takes decisions. */
const deciding = (
  change: (decide: Decide, decision: PageDecision, page: ApprovalPage) => unknown,
) =>
  changed((page) => ({
    ...page,
    decide: async (decision) => change(deciderOf(page), decision, page),
  }))

const bare = ({ messageId, step, toolCallId, outcome }: PageDecision): PageDecision => ({
  messageId,
  step,
  toolCallId,
  outcome,
})

/** Has other methods for some of an engine. */
const withEngine = (page: ApprovalPage, other: Partial<ApprovalPage['engine']>): ApprovalPage => ({
  decide: deciderOf(page),
  engine: new Proxy(page.engine, {
    get(engine, name) {
      const value: unknown = Reflect.get(name in other ? other : engine, name)
      return typeof value === 'function' ? value.bind(engine) : value
    },
  }),
})

/** Changes what a page is. */
function changed(change: (page: ApprovalPage) => ApprovalPage): (open: OpenPage) => OpenPage {
  return (open) => async (setup) => change(await open(setup))
}

/** Mistakes of pages. */
export const pageFaults: readonly Fault<OpenPage>[] = [
  ...setupFaults<PageSetup, ReturnType<OpenPage>>(),
  {
    name: 'runs what was denied',
    breaks: 'a no is final',
    make: deciding((decide, decision) => decide({ ...decision, outcome: 'yes' })),
  },
  {
    name: 'takes a yes to one call for all that wait',
    breaks: 'nothing runs without a yes',
    make: deciding(async (decide, decision, { engine }) => {
      const { toolCalls = [] } = engine.getState().turn?.pauseReason ?? {}
      await decide(decision)
      const isYes = decision.outcome === 'yes'
      if (isYes) for (const one of toolCalls) await decide({ ...decision, ...one })
    }),
  },
  {
    name: 'heeds the last decision of a tick',
    breaks: 'the first decision counts',
    make: deciding(async (decide, decision) => {
      if (decision.outcome === 'no') await Promise.resolve()
      return decide(decision)
    }),
  },
  {
    name: 'does not look at what was shown',
    breaks: 'a decision counts for what was shown',
    make: deciding((decide, decision) => decide(bare(decision))),
  },
  {
    name: 'forgets what was edited',
    breaks: 'what runs is what was approved',
    make: deciding((decide, decision) => decide(bare(decision))),
  },
  {
    name: 'always allows the whole tool',
    breaks: 'a permission covers no more than it says, and nothing once it is taken back',
    make: deciding((decide, { scope, ...decision }) =>
      decide({ ...decision, ...(scope && { scope: { ...scope, covers: 'tool' } }) }),
    ),
  },
  {
    name: 'does not take permissions back',
    breaks: 'a permission covers no more than it says, and nothing once it is taken back',
    make: changed((page) =>
      withEngine(page, { runPluginCommand: async () => ({ success: true, result: {} }) as never }),
    ),
  },
  {
    name: 'goes on after an abort',
    breaks: 'nothing runs once it was stopped',
    make: changed((page) => withEngine(page, { abort: async () => undefined })),
  },
  {
    name: 'keeps permissions when everything is stopped',
    breaks: 'nothing runs once it was stopped',
    make: changed((page) => withEngine(page, { stopAll: () => page.engine.abort() })),
  },
  {
    name: 'forgets a conversation when it is reloaded',
    breaks: 'nothing is lost or runs again after a reload',
    make: (open) => {
      let opened = 0
      return (setup) => open({ ...setup, id: `${setup.id} ${++opened}` })
    },
  },
  {
    name: 'runs again after a reload what had begun',
    breaks: 'nothing is lost or runs again after a reload',
    make: (open) => {
      const begun: (() => unknown)[] = []
      return async (setup) => {
        for (const run of begun.splice(0)) void run()
        const tools = wrapped(setup.tools, (run, input) => {
          begun.push(() => run(input))
          return run(input)
        })
        return open({ ...setup, tools })
      }
    },
  },
]
