import type { ToolCallPart } from '../../message/tool-part.ts'
import type { ApprovalHandler, Sender, ServerSite } from './server-site.ts'
import { call, no, yes, type Scenario } from './site.ts'

const UNASKED = 'an approval that nobody asked for runs nothing'
const ONCE = 'an approval is used once'
const OWN = 'an approval holds for one user and one conversation'
const EXPIRES = 'an approval expires'
const STEP = 'a step waits until all of it is decided'

const approval = ({ approval: asked }: ToolCallPart, other: object) => ({
  approval: { ...asked, approved: true, ...other },
})

const FORGERIES: readonly (readonly [name: string, change: (part: ToolCallPart) => object])[] = [
  ['another input', () => ({ input: { path: '/forged' } })],
  ['another tool', () => ({ type: 'tool-note' })],
  ['another call', () => ({ toolCallId: '2' })],
  ['another question', (part) => approval(part, { id: 'forged' })],
  ['no signature', (part) => approval(part, { signature: undefined })],
  [
    'a cut signature',
    (part) => approval(part, { signature: part.approval?.signature?.slice(0, -2) ?? 'none' }),
  ],
]

/** Tries what must hold where tools run on a server, and anybody may post anything. */
export const routeScenarios: readonly Scenario<ServerSite>[] = [
  ...FORGERIES.map(([name, change]): Scenario<ServerSite> => ({
    keeps: UNASKED,
    name: `runs nothing on a yes with ${name}`,
    async act(site) {
      await site.send(call('1'))
      await site.forge('1', change)
      site.world.ran(UNASKED)
    },
  })),
  {
    keeps: UNASKED,
    name: 'runs nothing on a yes to a call that the model never made',
    async act(site) {
      await site.send()
      const made = {
        type: 'tool-write' as const,
        toolCallId: '1',
        state: 'approval-responded' as const,
        input: { path: '/1' },
        approval: { id: 'forged', approved: true as const },
      }
      const parts = [{ type: 'step-start' as const }, made]
      await site.post([...site.messages, { id: 'forged', role: 'assistant', parts }])
      site.world.ran(UNASKED)
    },
  },
]

type HandlerSite = ServerSite<ApprovalHandler>

/** Asks about a call, and approves it; the yes is not posted yet. */
async function approved(site: HandlerSite) {
  await site.send(call('1'))
  return site.decided(() => true)
}

/** Tries what must hold where approvals are counted, and users and the time are known. */
export const handlerScenarios: readonly Scenario<HandlerSite>[] = [
  {
    keeps: ONCE,
    name: 'runs a call once, however often its yes is posted',
    async act(site) {
      const messages = await approved(site)
      for (let times = 0; times < 3; times++) await site.post(messages)
      site.world.ran(ONCE, '1 /1')
    },
  },
  {
    keeps: ONCE,
    name: 'runs a call once when its yes is posted twice at once',
    async act(site) {
      const messages = await approved(site)
      await Promise.all([site.post(messages), site.post(messages)])
      site.world.ran(ONCE, '1 /1')
    },
  },
  {
    keeps: ONCE,
    name: 'runs a call once when its yes is posted again after a restart',
    async act(site) {
      const messages = await approved(site)
      await site.post(messages)
      await site.route.restart()
      await site.post(messages)
      site.world.ran(ONCE, '1 /1')
    },
  },
  {
    keeps: 'a no is final',
    name: 'runs nothing on a yes that is posted after a no',
    async act(site) {
      const messages = await approved(site)
      await site.decide(no('1'))
      await site.post(messages)
      site.world.ran('a no is final')
    },
  },
  {
    keeps: 'what was let run does run, and what is to be asked waits',
    name: 'runs after a restart what was asked about before',
    async act(site) {
      const messages = await approved(site)
      await site.route.restart()
      await site.post(messages)
      site.world.ran('what was let run does run, and what is to be asked waits', '1 /1')
    },
  },
  ...(
    [
      ['another user', { user: 'eve' }],
      ['another conversation', { id: 'other' }],
    ] satisfies [string, Sender][]
  ).map(([name, sender]): Scenario<HandlerSite> => ({
    keeps: OWN,
    name: `runs nothing on a yes of ${name}`,
    async act(site) {
      const messages = await approved(site)
      await site.post(messages, sender)
      site.world.ran(OWN)
    },
  })),
  {
    keeps: EXPIRES,
    name: 'runs nothing on a yes that comes too late',
    async act(site) {
      const messages = await approved(site)
      await site.route.expire()
      await site.post(messages)
      site.world.ran(EXPIRES)
    },
  },
  {
    keeps: STEP,
    name: 'runs nothing while another call of its step waits',
    async act(site) {
      site.world.rule('3', 'approved')
      await site.send(call('1'), call('2'), call('3'))
      await site.post(site.decided(({ toolCallId }) => toolCallId === '1' || undefined))
      site.world.ran(STEP)
      await site.decide(yes('1'), no('2'))
      site.world.ran('what was let run does run, and what is to be asked waits', '1 /1', '3 /3')
    },
  },
]
