import type { Tool, ToolApprovalStatus, ToolSet } from 'ai'
import type { ApprovalInvariant } from './invariants.ts'
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

/** Tools that are run in another way. */
export function wrapped(
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

/** The same thing with other methods for some of its own. */
export function withOther<PART extends object, THING extends PART = PART>(
  thing: THING,
  other: Partial<PART>,
): THING {
  return new Proxy(thing, {
    get(target, name) {
      const value: unknown = Reflect.get(name in other ? other : target, name)
      return typeof value === 'function' ? value.bind(target) : value
    },
  })
}
