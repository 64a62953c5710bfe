import { setupFaults, withOther, wrapped, type Fault } from './fault.ts'
import type { ApprovalPage, OpenPage, PageDecision, PageSetup, TestedEngine } from './page-site.ts'

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
const withEngine = (page: ApprovalPage, other: Partial<TestedEngine>): ApprovalPage => ({
  decide: deciderOf(page),
  engine: withOther(page.engine, other),
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
