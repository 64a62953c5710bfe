import { execFileSync } from 'node:child_process'
import { readdirSync, readFileSync } from 'node:fs'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { createScratch, type Scratch } from '../../../../node/test/scratch.ts'
import { describeSandbox } from '../../../test/sandbox-here.ts'
import { shellTrial } from '../../../test/shell-trial.ts'
import { bytesOf, isUtf8Name, onDisk, textOfBytes } from './byte-paths.ts'

// Real processes, on a machine that may have others to run.
vi.setConfig({ testTimeout: 60_000 })

const SECRET = 'canary-swordfish-4711'

describe('a name on the disk', () => {
  it.each(['a.txt', 'b\xff', '\xff\xfe', 'ü/b\xff/c', 'caf\xe9 ü', '', '\xed\xb3\xbf'])(
    'comes back byte by byte: %j',
    (name) => {
      const bytes = Buffer.from(name, 'latin1')
      expect(bytesOf(textOfBytes(bytes))).toEqual(bytes)
    },
  )

  it('is a text as it is where it is UTF-8', () => {
    expect(textOfBytes(Buffer.from('grün 👍'))).toBe('grün 👍')
    expect(onDisk('grün 👍')).toBe('grün 👍')
    expect(onDisk(`grün 👍/${textOfBytes(Buffer.from([0x61, 0xff]))}`)).toEqual(
      Buffer.concat([Buffer.from('grün 👍/a'), Buffer.from([0xff])]),
    )
    expect(isUtf8Name(textOfBytes(Buffer.from([0x61, 0xff])))).toBe(false)
  })
})

describeSandbox('what has a name that is not UTF-8', () => {
  let scratch: Scratch
  let trial: ReturnType<typeof shellTrial>

  beforeEach(() => {
    scratch = createScratch()
    scratch.write({ 'a.txt': 'one\n', '.env': `${SECRET}\n`, 'conf/.env': `${SECRET}\n` })
    trial = shellTrial(scratch.path)
  })
  afterEach(() => scratch.remove())

  /** Runs a command of bash outside of any sandbox. */
  const own = (command: string) =>
    execFileSync('/bin/bash', ['-c', command], { cwd: scratch.path, encoding: 'latin1' })

  it.each([
    String.raw`mv conf $'bad\xff'`,
    String.raw`mkdir -p $'bad\xff'/.ssh && mv conf/.env $'bad\xff'/.ssh/id_rsa`,
    String.raw`mv conf/.env $'id_rsa\xff.bak'`,
    String.raw`ln .env $'hard\xff'`,
    String.raw`mkdir -p deep/ü && mv conf/.env deep/ü/$'.env\xff'`,
    String.raw`mkdir $'bad\xff' && ln .env $'bad\xff'/plain.txt`,
  ])('is hidden from commands: %s', async (command) => {
    own(command)
    // Outside of the sandbox the secret is found.
    expect(own('grep -rl canary . | wc -l').trim()).not.toBe('0')
    const { output } = await trial.inside('grep -r canary .; cat */.e* */*/.e*; echo end')
    expect(output).not.toContain(SECRET)
    expect(output).toContain('end')
    expect((await trial.inside('cat a.txt')).output).toBe('one\n')
  })

  it('hides no file of another name that a link of such a name leads to', async () => {
    own(String.raw`ln -s a.txt $'link\xff'`)
    expect((await trial.inside('cat link* a.txt')).output).toBe('one\none\n')
  })

  it('is hidden where a command has moved a secret there', async () => {
    await trial.inside(String.raw`mv conf $'conf\xff'`, { rights: ['write'] })
    expect(readdirSync(scratch.path)).not.toContain('conf')
    expect((await trial.inside('cat conf*/.e*; echo end')).output).not.toContain(SECRET)
  })

  it('keeps its settings of Git, whatever a command with the right write does', async () => {
    own(String.raw`git init -q $'old\xff' && git init -q --bare $'bare\xfe'`)
    const before = own(`sha256sum old*/.git/config bare*/config; ls old*/.git/hooks bare*/hooks`)
    const plant = [
      String.raw`echo '[alias] st = !echo RAN' | tee -a $'old\xff'/.git/config $'bare\xfe'/config`,
      String.raw`echo x > $'old\xff'/.git/hooks/post-commit`,
      String.raw`mv $'old\xff' moved; rm -rf $'bare\xfe'`,
    ]
    await trial.inside(plant.join('; '), { rights: ['write'] })
    expect(own(`sha256sum old*/.git/config bare*/config; ls old*/.git/hooks bare*/hooks`)).toBe(
      before,
    )
  })

  it('is no repository that a command with the right write has made', async () => {
    const config = `echo '[alias] st = !echo RAN' >>`
    const made = [
      String.raw`mkdir -p $'new\xff'/objects $'new\xff'/refs; echo 'ref: refs/heads/m' > $'new\xff'/HEAD; ${config} $'new\xff'/config`,
      String.raw`mkdir -p $'out\xfe'; git init -q $'out\xfe'/in; ${config} $'out\xfe'/in/.git/config`,
    ]
    const { note } = await trial.inside(made.join('; '), { rights: ['write'] })
    expect(note).toMatch(/Taken away.*new\\udcff\/HEAD.*|Taken away.*out\\udcfe\/in\/\.git/)
    const status = own('for one in new* out*/in; do (cd "$one"; git st; true); done 2>&1')
    expect(status).not.toContain('RAN')
    // They would have run it.
    own('cd new* && mv HEAD.taken-away-* HEAD')
    expect(own('cd new* && git st')).toContain('RAN')
  })

  it('does not keep what is put into a path that is too long from being hidden', async () => {
    const long = 'l'.repeat(200)
    const down = `for i in $(seq 25); do mkdir -p ${long}; cd ${long}; done`
    own(`${down}; echo ${SECRET} > .env`)
    const enter = `for i in $(seq 25); do cd ${long} || break; done`
    expect(own(`${enter}; cat .env`)).toContain(SECRET)
    expect((await trial.inside(`${enter}; cat .env`)).output).not.toContain(SECRET)
    own(`rm -rf ${long}`)
  })

  it('leaves nothing of the arguments of the sandbox behind', async () => {
    await trial.inside('true')
    const { output } = await trial.inside('ls -l /proc/self/fd; cat /proc/1/cmdline | tr "\\0" " "')
    expect(output).not.toContain(scratch.path)
    expect(readFileSync(`${scratch.path}/a.txt`, 'utf8')).toBe('one\n')
  })
})
