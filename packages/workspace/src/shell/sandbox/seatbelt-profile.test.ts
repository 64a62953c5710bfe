import { describe, expect, it } from 'vitest'
import { SMALL_LIMITS, type SandboxView } from './sandbox-view.ts'
import { seatbeltProfile } from './seatbelt-profile.ts'

const BARE: SandboxView = {
  roots: [{ path: '/w', access: 'read' }],
  readable: [{ from: '/opt/sdk', to: '/opt/sdk' }],
  pinned: [],
  replaced: [
    { path: '/w/.env', by: 'hidden-file' },
    { path: '/w/.ssh', by: 'hidden-folder' },
    { path: '/w/.git/hooks', by: 'nothing' },
    { path: '/w/.git/config', by: { path: '/tmp/clean' } },
  ],
  hasNetwork: false,
  limits: SMALL_LIMITS,
}

/** The rules of a profile with the paths in place of their names. */
function rulesOf(view: SandboxView): string[] {
  const { text, parameters } = seatbeltProfile(view, '/t')
  return text
    .replaceAll(/\(param "(PATH_\d+)"\)/g, (_, name: string) => `"${parameters[name]}"`)
    .split('\n')
}

/** What becomes of an operation on a path: the last rule that names both wins. */
function fateOf(view: SandboxView, operation: string, path: string): 'allow' | 'deny' {
  const rules = rulesOf(view)
    .join('\n')
    .split(/\n(?=\((?:allow|deny))/)
  let fate: 'allow' | 'deny' = 'deny'
  for (const rule of rules) {
    const [, verdict, rest = ''] = /^\((allow|deny) (.*)\)$/s.exec(rule) ?? []
    if (verdict !== 'allow' && verdict !== 'deny') continue
    const operations = rest.split('(')[0]?.trim().split(/\s+/) ?? []
    const covers = operations.some((one) =>
      one.endsWith('*') ? operation.startsWith(one.slice(0, -1)) : one === operation,
    )
    const places = [...rest.matchAll(/\((literal|subpath) "([^"]*)"\)/g)]
    const isThere =
      places.length === 0
        ? !rest.includes('(')
        : places.some(
            ([, kind, at]) => path === at || (kind === 'subpath' && path.startsWith(`${at}/`)),
          )
    if (covers && isThere) fate = verdict
  }
  return fate
}

describe('a profile for macOS', () => {
  it('lets nothing be done that no rule names', () => {
    const [first, second] = rulesOf(BARE)
    expect([first, second]).toEqual(['(version 1)', '(deny default)'])
    expect(rulesOf(BARE).join('\n')).not.toMatch(/network|appleevent|lsopen/)
  })

  it('reads the workspace, programs and nothing else', () => {
    for (const path of ['/w/a.txt', '/opt/sdk/x', '/usr/bin/git', '/t/x']) {
      expect([path, fateOf(BARE, 'file-read-data', path)]).toEqual([path, 'allow'])
    }
    for (const path of [
      '/Users/me/x',
      '/private/etc/sudoers',
      '/wx',
      '/private/tmp/x',
      '/Volumes/x',
    ]) {
      expect([path, fateOf(BARE, 'file-read-data', path)]).toEqual([path, 'deny'])
    }
    for (const path of ['/w/.env', '/w/.ssh/id', '/w/.git/hooks/x']) {
      expect([path, fateOf(BARE, 'file-read-data', path)]).toEqual([path, 'deny'])
    }
    expect(fateOf(BARE, 'process-exec', '/w/.git/hooks/x')).toBe('deny')
  })

  it('writes to its own folder only', () => {
    expect(fateOf(BARE, 'file-write-data', '/t/x')).toBe('allow')
    for (const path of ['/w/a.txt', '/opt/sdk/x', '/usr/x', '/w/.git/config']) {
      expect([path, fateOf(BARE, 'file-write-data', path)]).toEqual([path, 'deny'])
    }
  })

  it('with the right to write keeps settings and hooks of Git, secrets, and the folder of Git where it is', () => {
    const view: SandboxView = {
      ...BARE,
      roots: [
        { path: '/w', access: 'write' },
        { path: '/w/docs', access: 'read' },
      ],
      pinned: ['/w/.git'],
    }
    const fate = (path: string) => fateOf(view, 'file-write-data', path)
    for (const path of ['/w/a.txt', '/w/.git/index', '/w/.git/objects/x']) {
      expect([path, fate(path)]).toEqual([path, 'allow'])
    }
    const kept = ['/w/.git', '/w/.git/config', '/w/.git/hooks/x', '/w/.git/commondir', '/w/.env']
    for (const path of [...kept, '/w/docs/x']) expect([path, fate(path)]).toEqual([path, 'deny'])
  })

  it('with the right to settings of Git lets those be changed', () => {
    const view: SandboxView = { ...BARE, pinned: ['/w/.git'], replaced: [] }
    expect(fateOf(view, 'file-write-data', '/w/.git/config')).toBe('allow')
    expect(fateOf(view, 'file-write-data', '/w/.git/hooks/x')).toBe('allow')
    expect(fateOf(view, 'file-write-data', '/w/a.txt')).toBe('deny')
  })

  it('with the network opens no socket with a name but that of an agent', () => {
    const rules = rulesOf({ ...BARE, hasNetwork: true, agentSocket: '/agent' })
    const open = rules.indexOf('(allow network*)')
    const closed = rules.indexOf('(deny network-outbound (remote unix-socket))')
    expect(open).toBeGreaterThan(0)
    expect(closed).toBeGreaterThan(open)
    expect(rules.indexOf('(allow network-outbound (literal "/agent"))')).toBeGreaterThan(closed)
  })

  it('names no path in its text, which one could end', () => {
    const evil = '/w/") (allow default) ("'
    const { text, parameters } = seatbeltProfile(
      { ...BARE, roots: [{ path: evil, access: 'write' }] },
      '/t',
    )
    expect(text).not.toContain('allow default')
    expect(Object.values(parameters)).toContain(evil)
  })
})
