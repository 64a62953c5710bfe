import { isDeepStrictEqual } from 'node:util'
import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { createApprovalSeal, sealedAt, type ApprovalOrigin } from './approval-seal.ts'
import { sentJson } from './sent-json.ts'

const call = fc.record({
  approvalId: fc.string(),
  toolCallId: fc.string(),
  toolName: fc.string(),
  input: fc.jsonValue(),
  step: fc.array(fc.string()),
  sealed: fc.array(fc.string()),
})
const origin = fc.constantFrom<ApprovalOrigin>('person', 'rule')
const scopes = fc.record(
  { owner: fc.string(), conversationId: fc.string() },
  { noNullPrototype: true },
)
const time = fc.integer({ min: 0, max: 8.64e15 })

test('a seal is read where it was made, for what it was made, and nowhere else', () => {
  const secrets = fc.string({ minLength: 1 })
  const other = fc.record({ call, scope: scopes, secret: secrets, store: fc.string() })
  const facts = fc.tuple(call, origin, time, scopes, secrets, fc.string(), other)
  fc.assert(
    fc.property(facts, ([sealed, from, at, scope, secret, store, different]) => {
      const seal = createApprovalSeal([secret], scope, store)
      const signature = seal.sign(sealed, from, at)
      const facts = { origin: from, issuedAt: at, requester: scope.owner, isOfStore: true }
      expect(seal.read(sealed, signature)).toEqual(facts)
      expect(sealedAt(signature)).toBe(at)
      // As the page has it, which knows JSON only, in any order of keys.
      const sent = { ...sealed, input: reversed(JSON.parse(JSON.stringify(sealed.input))) }
      expect(seal.read(sent, signature)).toBeDefined()

      for (const name of ['approvalId', 'toolCallId', 'toolName', 'input', 'step'] as const) {
        const changed = { ...sealed, [name]: different.call[name] }
        const isSame = sentJson(withStepSet(changed)) === sentJson(withStepSet(sealed))
        expect(seal.read(changed, signature) !== undefined).toBe(isSame)
      }
      const isSameScope = isDeepStrictEqual(different.scope, scope)
      const elsewhere = createApprovalSeal([secret], different.scope, store)
      expect(elsewhere.read(sealed, signature) !== undefined).toBe(isSameScope)
      const stranger = createApprovalSeal([different.secret], scope, store)
      expect(stranger.read(sealed, signature) !== undefined).toBe(different.secret === secret)
      const renewed = createApprovalSeal([different.secret, secret], scope, store)
      expect(renewed.read(sealed, signature)).toEqual(facts)
      const other = createApprovalSeal([secret], scope, different.store)
      const isOfStore = different.store === store
      expect(other.read(sealed, signature)).toEqual({ ...facts, isOfStore })
      expect(renewed.sign(sealed, from, at)).toBe(stranger.sign(sealed, from, at))
    }),
  )
})

test('a seal for others is read for every user of its conversation, and names who was asked', () => {
  const facts = fc.tuple(call, scopes, scopes, fc.boolean())
  fc.assert(
    fc.property(facts, ([sealed, scope, other, isOfConversation]) => {
      const signature = createApprovalSeal(['s'], scope, 'store', true).sign(sealed, 'person', 7)
      const reader = isOfConversation ? { ...scope, owner: other.owner } : other
      const read = createApprovalSeal(['s'], reader, 'store', true).read(sealed, signature)
      const isHere = reader.conversationId === scope.conversationId
      const expected = { origin: 'person', issuedAt: 7, requester: scope.owner, isOfStore: true }
      expect(read).toEqual(isHere ? expected : undefined)
      // Who takes the right to decide away again takes it from all but the one who was asked.
      const plain = createApprovalSeal(['s'], reader, 'store').read(sealed, signature)
      expect(plain).toEqual(isHere && reader.owner === scope.owner ? expected : undefined)
      expect(sealedAt(signature)).toBe(7)
      const another = Buffer.from(`${scope.owner}x`).toString('base64url')
      const forged = signature.replace(/~[\w-]*/, `~${another}`)
      expect(createApprovalSeal(['s'], scope, 'store', true).read(sealed, forged)).toBeUndefined()
    }),
  )
})

test('a seal for others holds only beside the other seals of its step, but for those of earlier versions', () => {
  const scope = { owner: 'ada', conversationId: 'here' }
  const seal = createApprovalSeal(['a secret'], scope, 'store', true)
  const call = { approvalId: 'a', toolCallId: '1', toolName: 'send', input: { to: 'ada' } }
  const sealed = { ...call, step: ['1', '2'], sealed: ['1', '2'] }
  const signature = seal.sign(sealed, 'person', 1_700_000_000_000)
  expect(seal.read({ ...sealed, sealed: ['2', '1'] }, signature)).toBeDefined()
  expect(seal.read({ ...sealed, sealed: ['1'] }, signature)).toBeUndefined()
  expect(seal.read({ ...sealed, sealed: ['1', '2', '3'] }, signature)).toBeUndefined()
  const earlier =
    'assent3.gk2A1xmF8IKiaZeo24i10d~YWRh.p.loyw3v28._L65fZHpsBwcm6xfh9I9YdasICGoC_fOyQH4Yl9mqH0'
  expect(seal.read({ ...sealed, sealed: ['1'] }, earlier)).toMatchObject({ requester: 'ada' })
  expect(seal.read({ ...sealed, step: ['1'] }, earlier)).toBeUndefined()
  expect(seal.read(sealed, earlier.replace('assent3', 'assent4'))).toBeUndefined()
  expect(seal.read(sealed, signature.replace('assent4', 'assent3'))).toBeUndefined()
})

test('a seal of which anything was changed is none', () => {
  const seal = createApprovalSeal(['a secret'], { owner: 'ada', conversationId: 'here' }, 'store')
  const sealed = {
    approvalId: 'a',
    toolCallId: '1',
    toolName: 'send',
    input: { to: 'ada' },
    step: ['1'],
    sealed: ['1'],
  }
  const signature = seal.sign(sealed, 'person', 1_700_000_000_000)
  const at = fc.nat({ max: signature.length - 1 })
  const character = fc.string({ unit: 'grapheme-ascii', minLength: 0, maxLength: 2 })
  fc.assert(
    fc.property(at, character, (index, text) => {
      const changed = signature.slice(0, index) + text + signature.slice(index + 1)
      // The last character of a base64 text has bits that say nothing.
      fc.pre(changed !== signature && (index < signature.length - 1 || text.length !== 1))
      expect(seal.read(sealed, changed)).toBeUndefined()
    }),
  )
  for (const text of [undefined, '', 'assent3', `${signature} `, signature.toUpperCase()]) {
    expect(seal.read(sealed, text)).toBeUndefined()
  }
})

/** The calls of a step have no order, and each is there once. */
function withStepSet<CALL extends { step: readonly string[] }>(sealed: CALL) {
  return { ...sealed, step: [...new Set(sealed.step)].toSorted() }
}

/** The same value with the keys of its objects in the opposite order. */
function reversed(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(reversed)
  if (typeof value !== 'object' || value === null) return value
  const entries = Object.entries(value).toReversed()
  return Object.fromEntries(entries.map(([key, inner]) => [key, reversed(inner)]))
}
