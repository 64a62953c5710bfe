import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { readSettings } from './settings.ts'

const ROOT = join(import.meta.dirname, '../..')
const compose = readFileSync(join(ROOT, 'compose.yaml'), 'utf8')

/** The variables of one block `environment:`, which are the only names in capitals with a colon. */
const given = new Map(
  Array.from(compose.matchAll(/^ +([A-Z_]+): (.+)$/gm), ([, name = '', value = '']) => [
    name,
    value,
  ]),
)

it('gives every process what it reads, and nothing else', () => {
  const front = readFileSync(join(import.meta.dirname, 'run-front.ts'), 'utf8')
  const settings = readFileSync(join(import.meta.dirname, 'settings.ts'), 'utf8')
  const read = `${front}\n${settings}`.match(/\b[A-Z]{2,}(?:_[A-Z]+)*\b/g) ?? []
  for (const name of given.keys()) expect(read).toContain(name)
  expect(readSettings(Object.fromEntries(given))).toMatchObject({ host: '0.0.0.0' })
  expect([given.has('PAGE'), given.has('SERVERS')]).toEqual([true, true])
})

it('starts files that are there, at services that are there', () => {
  const files = compose.match(/playground\/\S+\.ts/g) ?? []
  expect(files).toHaveLength(3)
  for (const file of files) expect(existsSync(join(ROOT, file))).toBe(true)
  const services = Array.from(compose.matchAll(/^ {2}([a-z\d-]+):/gm), ([, name]) => name)
  const named = [given.get('DATABASE_URL'), given.get('WORLD_URL'), given.get('SERVERS')].join(' ')
  const hosts = Array.from(named.matchAll(/[/@]([a-z][a-z\d-]*):\d/g), ([, host]) => host)
  expect(services).toEqual(expect.arrayContaining(hosts))
  expect(hosts).toHaveLength(4)
})
