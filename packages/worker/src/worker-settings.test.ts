import { describe, expect, it } from 'vitest'
import { workerSettings } from './worker-settings.ts'

describe('workerSettings', () => {
  it('has defaults, also for what is empty', () => {
    const defaults = {
      maxAttempts: 3,
      retryBaseMs: 2_000,
      toolTimeoutMs: 30_000,
      maxOutputLines: 2_000,
      maxOutputBytes: 51_200,
    }
    expect(workerSettings({})).toEqual(defaults)
    expect(workerSettings({ TASK_MAX_ATTEMPTS: '', TOOL_MAX_OUTPUT_LINES: ' ' })).toEqual(defaults)
  })

  it('reads what the environment says', () => {
    expect(
      workerSettings({
        TASK_MAX_ATTEMPTS: '5',
        TASK_RETRY_BASE_MS: ' 100 ',
        TOOL_TIMEOUT_SECONDS: '60',
        TOOL_MAX_OUTPUT_LINES: '10',
        TOOL_MAX_OUTPUT_BYTES: '1000',
      }),
    ).toEqual({
      maxAttempts: 5,
      retryBaseMs: 100,
      toolTimeoutMs: 60_000,
      maxOutputLines: 10,
      maxOutputBytes: 1_000,
    })
  })

  it.each(['0', '-1', '1.5', 'three', '1e3', '99999999999', '0x10'])(
    'refuses %s, and says which variable it is',
    (text) => {
      expect(() => workerSettings({ TASK_MAX_ATTEMPTS: text })).toThrow(
        expect.objectContaining({
          code: 'invalid_setting',
          message: expect.stringContaining('TASK_MAX_ATTEMPTS'),
        }),
      )
    },
  )
})
