import type { PageSite } from './page-site.ts'
import { call, no, yes, type Scenario } from './site.ts'

const ONCE = 'a yes runs its call once'
const FIRST = 'the first decision counts'
const SHOWN = 'a decision counts for what was shown'
const APPROVED = 'what runs is what was approved'
const PERMISSION = 'a permission covers no more than it says, and nothing once it is taken back'
const STOPPED = 'nothing runs once it was stopped'
const RELOAD = 'nothing is lost or runs again after a reload'

/** Always allows what a call does, and runs it. */
async function allow(site: PageSite, covers: 'input' | 'tool'): Promise<void> {
  await site.send(call('1', '/a'))
  await site.decide({ toolCallId: '1', outcome: 'yes_always', scope: { covers } })
  site.world.ran(ONCE, '1 /a')
}

/** Tries what must hold where a conversation is shown, and its tools run. */
export const pageScenarios: readonly Scenario<PageSite>[] = [
  {
    keeps: ONCE,
    name: 'runs a call once on two yeses in one tick, and one later',
    async act(site) {
      await site.send(call('1'))
      await site.decide(yes('1'), yes('1'))
      await site.decide(yes('1'))
      site.world.ran(ONCE, '1 /1')
    },
  },
  {
    keeps: FIRST,
    name: 'heeds the first of two decisions in one tick',
    async act(site) {
      await site.send(call('1'))
      await site.decide(no('1'), yes('1'))
      site.world.ran(FIRST)
      await site.send(call('2'))
      await site.decide(yes('2'), no('2'))
      site.world.ran(FIRST, '2 /2')
    },
  },
  {
    keeps: APPROVED,
    name: 'runs the input that was approved in place of the given one',
    async act(site) {
      await site.send(call('1'))
      await site.decide({ toolCallId: '1', outcome: 'yes', input: { path: '/edited' } })
      site.world.ran(APPROVED, '1 /edited')
    },
  },
  {
    keeps: APPROVED,
    name: 'runs nothing else when somebody changes the call that is shown',
    async act(site) {
      await site.send(call('1'))
      for (const part of site.engine.getState().messages.flatMap(({ parts }) => parts)) {
        // Where it is frozen nothing happens.
        if ('input' in part) Reflect.set(Object(part.input), 'path', '/other')
      }
      await site.decide(yes('1'))
      const other = site.world.effects.filter(({ input }) => input.path !== '/1')
      site.world.hold(APPROVED, other.length === 0, other)
    },
  },
  {
    keeps: SHOWN,
    name: 'does nothing on a yes to what is not there any more',
    async act(site) {
      await site.send(call('1'))
      await site.decide({ toolCallId: '1', outcome: 'yes', fingerprint: 'of what was shown' })
      site.world.ran(SHOWN)
      site.world.hold(SHOWN, `${site.waiting()}` === '1', site.waiting())
    },
  },
  {
    keeps: SHOWN,
    name: 'asks about a call that has the id of one that was approved',
    async act(site) {
      await site.send(call('1'))
      await site.decide(yes('1'))
      await site.send(call('1', '/other'))
      site.world.ran(SHOWN, '1 /1')
      site.world.hold(SHOWN, `${site.waiting()}` === '1', site.waiting())
    },
  },
  {
    keeps: PERMISSION,
    name: 'asks about another input than the one that is always allowed',
    async act(site) {
      await allow(site, 'input')
      await site.send(call('2', '/b'))
      site.world.ran(PERMISSION, '1 /a')
      await site.decide(no('2'))
      await site.send(call('3', '/a'))
      site.world.ran('what was let run does run, and what is to be asked waits', '1 /a', '3 /a')
    },
  },
  {
    keeps: PERMISSION,
    name: 'asks about another tool than the one that is always allowed',
    async act(site) {
      await allow(site, 'tool')
      await site.send(call('2', '/a', 'note'))
      site.world.ran(PERMISSION, '1 /a')
    },
  },
  {
    keeps: PERMISSION,
    name: 'asks again once a permission was taken back',
    async act(site) {
      await allow(site, 'tool')
      await site.revokeAll()
      await site.send(call('2', '/a'))
      site.world.ran(PERMISSION, '1 /a')
      await site.reload()
      site.world.ran(PERMISSION, '1 /a')
    },
  },
  {
    keeps: STOPPED,
    name: 'runs nothing of a turn that was aborted',
    async act(site) {
      await site.send(call('1'))
      await site.abort()
      await site.decide(yes('1'))
      await site.send()
      site.world.ran(STOPPED)
    },
  },
  {
    keeps: STOPPED,
    name: 'asks about what was always allowed once everything was stopped, also after a reload',
    async act(site) {
      await allow(site, 'tool')
      await site.stopAll()
      await site.send(call('2', '/a'))
      site.world.ran(STOPPED, '1 /a')
      await site.reload()
      site.world.ran(STOPPED, '1 /a')
    },
  },
  {
    keeps: RELOAD,
    name: 'asks on after a reload, and runs on the yes to that',
    async act(site) {
      await site.send(call('1'), call('2'))
      await site.decide(yes('1'))
      await site.reload()
      site.world.hold(RELOAD, site.waiting().includes('2'), site.waiting())
      await site.decide(yes('2'))
      await site.reload()
      site.world.ran(RELOAD, '1 /1', '2 /2')
    },
  },
  {
    keeps: RELOAD,
    name: 'does not run again what was begun when the page was left',
    async act(site) {
      await site.send(call('1'))
      const frozen = Promise.withResolvers<void>()
      site.world.running = frozen.promise
      const begun = new Promise<void>((resolve) => {
        site.world.onEffect = () => resolve()
      })
      site.begin(yes('1'))
      await begun
      await site.reload()
      site.world.hold(RELOAD, site.waiting().length === 0, site.waiting())
      frozen.resolve()
      await site.send()
      site.world.ran(RELOAD, '1 /1')
    },
  },
  {
    keeps: ONCE,
    name: 'runs a call once on yeses in two pages at once',
    async act(site) {
      await site.send(call('1'))
      await site.openBeside()
      await site.decideInBoth(yes('1'))
      site.world.ran(ONCE, '1 /1')
    },
  },
]
