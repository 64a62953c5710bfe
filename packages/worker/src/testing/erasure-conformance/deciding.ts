import assert from 'node:assert/strict'
import { callKey, erasureTest, RUNNER, unaskedRun, type ErasureTest } from './erasure-test.ts'

export const decidingTests: readonly ErasureTest[] = [
  erasureTest('uses no yes again, and none that was not used yet', async ({ stores, ledger }) => {
    const key = (name: string) => callKey('c', name, 'ada')
    const at = Date.now()
    for (const name of ['given', 'running', 'done', 'failed']) {
      await ledger.decide(key(name), true, at, 'ada')
    }
    await ledger.decide(key('denied'), false, at, 'ada')
    for (const name of ['running', 'done', 'failed']) await ledger.claim(key(name), RUNNER, at)
    await ledger.end(key('done'), RUNNER.holder, { status: 'done', output: 1 })
    await ledger.end(key('failed'), RUNNER.holder, { status: 'failed', errorText: 'x' })
    assert.equal((await stores.erase({ conversationId: 'c', owner: 'ada' })).calls, 5)
    const claims = await Promise.all(
      ['given', 'running', 'done', 'failed', 'denied'].map((name) =>
        ledger.claim(key(name), RUNNER, at),
      ),
    )
    assert.deepEqual(
      claims.map(({ status }) => status),
      ['expired', 'unknown', 'unknown', 'unknown', 'denied'],
    )
    // Whoever runs one notes nothing of it any more.
    await ledger.end(key('running'), RUNNER.holder, { status: 'done', output: 'said' })
    assert.deepEqual(await ledger.look(key('running')), { status: 'unknown' })
    assert.equal((await ledger.decision(key('denied')))?.by, undefined)
  }),

  erasureTest(
    'lets an answer that is under way begin no other call',
    async ({ stores, ledger }) => {
      const key = callKey('c', 'answer/1')
      await ledger.begin(key, 'answer')
      await ledger.claimUnasked(unaskedRun(key, 'said'), RUNNER)
      await stores.erase({ conversationId: 'c' })
      const next = { ...key, approvalId: 'answer/2' }
      assert.deepEqual(await ledger.claimUnasked(unaskedRun(next, 'said'), RUNNER), {
        status: 'superseded',
      })
      assert.deepEqual(await ledger.begin(key, 'another'), [], 'an erased call is told')
      assert.deepEqual(await ledger.look(key), { status: 'unknown' })
    },
  ),
]
