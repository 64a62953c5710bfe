import { describe, expect, it } from 'vitest'
import { DatabaseError, toDatabaseError } from './database-error.ts'

const said = (code: string): Error => Object.assign(new Error('it says so'), { code })

describe('what a database says', () => {
  it.each([
    ['08000', 'database_unreachable'],
    ['08006', 'database_unreachable'],
    ['08XYZ', 'database_unreachable'],
    ['40001', 'database_busy'],
    ['40003', 'database_busy'],
    ['53000', 'database_busy'],
    ['53100', 'database_unwritable'],
    ['53200', 'database_busy'],
    ['53300', 'database_busy'],
    ['53XYZ', 'database_busy'],
    ['55000', 'database_unreachable'],
    ['55006', 'database_busy'],
    ['55P03', 'database_busy'],
    ['57014', 'database_busy'],
    ['57P01', 'database_unreachable'],
    ['57P04', 'database_unreachable'],
    ['57XYZ', 'database_unreachable'],
    ['58030', 'database_unreachable'],
    ['58P01', 'database_unreachable'],
    ['XX000', 'database_unreachable'],
    ['XX001', 'database_unreadable'],
    ['F0001', 'database_unreachable'],
    ['EPIPE', 'database_unreachable'],
    ['ECONNREFUSED', 'database_unreachable'],
  ])('of itself is one of its errors: %s', (code, expected) => {
    const error = toDatabaseError(said(code), 'host/name')
    expect(error).toBeInstanceOf(DatabaseError)
    expect(error).toMatchObject({ code: expected, cause: { code } })
    expect(String(error)).toContain('host/name')
  })

  it.each(['22P05', '22003', '23505', '42P01', '42601', 'P0001'])(
    'of what it was asked stays as it is: %s',
    (code) => {
      const error = said(code)
      expect(toDatabaseError(error, 'host/name')).toBe(error)
    },
  )
})
