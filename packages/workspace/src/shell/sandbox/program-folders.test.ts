import { chmodSync, mkdirSync, realpathSync } from 'node:fs'
import { join, relative } from 'node:path'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { createScratch, type Scratch } from '../../../../node/test/scratch.ts'
import { describeSandbox } from '../../../test/sandbox-here.ts'
import { shellTrial } from '../../../test/shell-trial.ts'
import { isSensitiveProgramPath, showPrograms } from './program-folders.ts'
import { toolFolders } from './tool-folders.ts'

// Real processes, on a machine that may have others to run.
vi.setConfig({ testTimeout: 60_000 })

const SECRET = 'canary-swordfish-4711'

let scratch: Scratch

beforeEach(() => {
  scratch = createScratch()
  chmodSync(scratch.path, 0o755)
})
afterEach(() => scratch.remove())

const at = (name: string) => join(realpathSync(scratch.path), name)
const inner = (path: string) => relative(realpathSync(scratch.path), path)

describe('beside a folder `shims`', () => {
  it('only what the programs of a version manager need is shown', () => {
    const names = 'shims bin libexec versions plugins data .git .config Documents'.split(' ')
    for (const name of names) mkdirSync(at(`pm/${name}`), { recursive: true, mode: 0o755 })
    scratch.write({ 'pm/version': '3\n', 'pm/.env': SECRET })
    chmodSync(at('pm/version'), 0o644)
    expect(toolFolders(at('pm/shims'), []).map(inner).toSorted()).toEqual(
      'bin libexec plugins shims version versions'.split(' ').map((name) => `pm/${name}`),
    )
  })

  it('nothing is shown of a home folder', () => {
    for (const name of ['shims', 'bin', 'lib']) mkdirSync(at(`home/${name}`), { recursive: true })
    vi.stubEnv('HOME', at('home'))
    try {
      expect(toolFolders(at('home/shims'), []).map(inner)).toEqual(['home/shims'])
    } finally {
      vi.unstubAllEnvs()
    }
  })
})

describe('a path in a folder of programs', () => {
  it.each([
    ['id_rsa', true],
    ['lib/.env', true],
    ['lib/server.key', true],
    ['share/app/credentials.json', true],
    ['lib/node_modules/x/.env', true],
    ['lib/node_modules/x/.ssh/known_hosts', true],
    ['lib/python3.12/site-packages/id_ed25519', true],
    // Those that packages bring.
    ['3.9.18/lib/python3.9/test/keycert.pem', false],
    ['lib/python3.12/site-packages/pip/_vendor/certifi/cacert.pem', false],
    ['npm/node_modules/undici/lib/web/cookies', false],
    ['lib/libssl.so', false],
  ])('%s may lead to secrets: %s', (path, isSensitive) => {
    expect(isSensitiveProgramPath(path)).toBe(isSensitive)
  })
})

describeSandbox('what a command sees of programs', () => {
  it('holds neither secrets nor repositories, nor what is beside them', async () => {
    scratch.write({
      'work/a.txt': 'one\n',
      'sdk/bin/tool': '#!/bin/sh\ncat "$(dirname "$0")/../lib/tool.txt"\n',
      'sdk/lib/tool.txt': 'the tool\n',
      'sdk/lib/id_rsa': SECRET,
      'sdk/lib/.git/config': SECRET,
      'sdk/lib/node_modules/x/.env': SECRET,
      'sdk/data/private.txt': SECRET,
      'sdk/.env': SECRET,
      'pm/shims/run': '#!/bin/sh\necho shim\n',
      'pm/data.txt': SECRET,
      'pm/.git/config': SECRET,
      'own/plain.txt': 'own\n',
      'own/.npmrc': SECRET,
    })
    for (const name of ['sdk/bin/tool', 'pm/shims/run']) chmodSync(at(name), 0o755)
    vi.stubEnv('PATH', `${at('sdk/bin')}:${at('pm/shims')}:${process.env['PATH']}`)
    try {
      const trial = shellTrial(at('work'), { programFolders: [at('own')] })
      const { output } = await trial.inside(
        `tool; run; cat ${at('own')}/plain.txt; grep -rhs canary ${at('sdk')} ${at('pm')} ${at('own')}; ls ${at('sdk')}`,
      )
      expect(output).toBe('the tool\nshim\nown\nbin\nlib\n')
      expect((await showPrograms([at('own')])).masks.map(({ path }) => inner(path))).toEqual([
        'own/.npmrc',
      ])
    } finally {
      vi.unstubAllEnvs()
    }
  })

  it('is shown where the app names it by a link', async () => {
    scratch.write({ 'work/a.txt': '', 'own-1/plain.txt': 'own\n', 'own-1/.npmrc': SECRET })
    scratch.write({ own: '->own-1' })
    const trial = shellTrial(at('work'), { programFolders: [at('own')] })
    const { output } = await trial.inside(`cat ${at('own')}/plain.txt ${at('own')}/.npmrc`)
    expect(output).toContain('own\n')
    expect(output).not.toContain(SECRET)
  })
})
