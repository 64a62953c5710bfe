import { call, no, yes, type Scenario, type Site } from './site.ts'

const fail = () => {
  throw new Error('The rule is broken.')
}

/** What is no verdict, as plain JavaScript may have it. */
const NO_VERDICTS: readonly (readonly [name: string, says: unknown])[] = [
  ...['user_approval', 'Approved', '', true, false, null, {}, ['approved'], { type: 'ask' }].map(
    (says) => [`says ${JSON.stringify(says)}`, says] as const,
  ),
  ['throws', fail],
  ['rejects', async () => fail()],
]

/** Tries what must hold whatever runs the tools. */
export const scenarios: readonly Scenario[] = [
  {
    keeps: 'nothing runs without a yes',
    name: 'asks about a call of which no rule says anything',
    act: (site) => waits(site, 'nothing runs without a yes', undefined),
  },
  ...NO_VERDICTS.map(([name, says]): Scenario => ({
    keeps: 'what is no verdict asks',
    name: `asks where a rule ${name}`,
    act: (site) => waits(site, 'what is no verdict asks', says),
  })),
  {
    keeps: 'a yes runs its call once',
    name: 'runs a call once on one yes',
    async act(site) {
      await site.send(call('1'))
      await site.decide(yes('1'))
      site.world.ran('a yes runs its call once', '1 /1')
      await site.send()
      site.world.ran('a yes runs its call once', '1 /1')
    },
  },
  {
    keeps: 'nothing runs without a yes',
    name: 'runs of two calls the one that was approved',
    async act(site) {
      await site.send(call('1'), call('2'))
      await site.decide(yes('1'))
      await site.decide(no('2'))
      site.world.ran('nothing runs without a yes', '1 /1')
    },
  },
  {
    keeps: 'nothing runs without a yes',
    name: 'asks again about the very call that was approved before',
    async act(site) {
      await site.send(call('1'))
      await site.decide(yes('1'))
      await site.send(call('2', '/1'))
      site.world.ran('nothing runs without a yes', '1 /1')
    },
  },
  {
    keeps: 'what runs is what was approved',
    name: 'runs what was approved when a rule changed what it was asked about',
    async act(site) {
      site.world.rule('1', (input: object) => void Object.assign(input, { path: '/other' }))
      await site.send(call('1'))
      await site.decide(yes('1'))
      site.world.ran('what runs is what was approved', '1 /1')
    },
  },
  {
    keeps: 'what was let run does run, and what is to be asked waits',
    name: 'runs what the rules approve',
    async act(site) {
      site.world.rule('1', 'approved')
      await site.send(call('1'))
      site.world.ran('what was let run does run, and what is to be asked waits', '1 /1')
    },
  },
  {
    keeps: 'a no is final',
    name: 'runs nothing that was denied, whatever is said after',
    async act(site) {
      await site.send(call('1'))
      await site.decide(no('1'))
      site.world.ran('a no is final')
      await site.decide(yes('1'))
      await site.send()
      site.world.ran('a no is final')
    },
  },
  {
    keeps: "a rule's deny beats a yes",
    name: 'does not ask about what the rules deny',
    async act(site) {
      const { world } = site
      world.rule('1', 'denied')
      await site.send(call('1'))
      world.hold("a rule's deny beats a yes", site.waiting().length === 0, site.waiting())
      world.ran("a rule's deny beats a yes")
    },
  },
  {
    keeps: "a rule's deny beats a yes",
    name: 'runs nothing that the rules deny by the time of the yes',
    async act(site) {
      await site.send(call('1'))
      site.world.rule('1', { type: 'denied', reason: 'Not any more.' })
      await site.decide(yes('1'))
      site.world.ran("a rule's deny beats a yes")
    },
  },
]

async function waits(site: Site, invariant: Scenario['keeps'], says: unknown): Promise<void> {
  const { world } = site
  world.rule('1', says)
  await site.send(call('1'))
  world.ran(invariant)
  const waiting = site.waiting()
  world.hold('what was let run does run, and what is to be asked waits', `${waiting}` === '1', {
    waiting,
  })
  await site.decide(no('1'))
  world.ran(invariant)
}
