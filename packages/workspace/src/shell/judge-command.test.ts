import { describe, expect, it } from 'vitest'
import { DAILY } from './daily-commands.fixture.ts'
import { DENIED } from './denied-commands.fixture.ts'
import { EVERYDAY } from './everyday-commands.fixture.ts'
import { HARMFUL_OPTIONS } from './harmful-options.fixture.ts'
import { HIDDEN } from './hidden-commands.fixture.ts'
import { HIDDEN_SUBSTITUTIONS, NO_SUBSTITUTIONS } from './hidden-substitutions.fixture.ts'
import { judgeCommand } from './judge-command.ts'

const ASKED = [...HIDDEN, ...HARMFUL_OPTIONS]
const verdictOf = (command: string) => judgeCommand(command).verdict

describe('the corpus of commands', () => {
  it('is large, and names none twice', () => {
    const all = [...EVERYDAY, ...DAILY, ...ASKED, ...HIDDEN_SUBSTITUTIONS, ...DENIED]
    expect(all.length).toBeGreaterThanOrEqual(1_500)
    expect(new Set(all).size).toBe(all.length)
  })

  it('has no dangerous command that runs without a yes', () => {
    expect(ASKED.filter((command) => verdictOf(command) === 'allow')).toEqual([])
    expect(DENIED.filter((command) => verdictOf(command) !== 'deny')).toEqual([])
  })

  it('sees every substitution, wherever it stands', () => {
    expect(HIDDEN_SUBSTITUTIONS.length).toBeGreaterThan(600)
    expect(HIDDEN_SUBSTITUTIONS.filter((command) => verdictOf(command) === 'allow')).toEqual([])
  })

  it('takes no text for a substitution', () => {
    expect(NO_SUBSTITUTIONS.filter((command) => verdictOf(command) !== 'allow')).toEqual([])
  })

  it('has no everyday command that is asked about', () => {
    const asked = EVERYDAY.map((command) => judgeCommand(command)).filter(
      ({ verdict }) => verdict !== 'allow',
    )
    expect(asked).toEqual([])
  })

  it('has few needless questions among longer ones', () => {
    const all = [...EVERYDAY, ...DAILY]
    const asked = all.filter((command) => verdictOf(command) !== 'allow')
    const share = ((100 * asked.length) / all.length).toFixed(1)
    process.stdout.write(
      `Needless questions: ${asked.length} of ${all.length} everyday commands (${share} %).\n`,
    )
    expect(all.length).toBeGreaterThanOrEqual(500)
    expect(asked.filter((command) => verdictOf(command) === 'deny')).toEqual([])
    expect(asked.length / all.length).toBeLessThan(0.03)
  })

  it('is asked about, not refused, where a person may say yes', () => {
    expect(ASKED.filter((command) => verdictOf(command) === 'deny')).toEqual([])
  })
})

describe('a judgement', () => {
  it('says of each part what becomes of it, and why', () => {
    expect(judgeCommand('cat a.txt | sort -o b.txt && echo "$(rm -rf /)"')).toEqual({
      verdict: 'deny',
      names: ['cat', 'a.txt', 'sort', '-o', 'b.txt', 'echo', 'rm', '-rf', '/'],
      parts: [
        { text: 'cat a.txt', verdict: 'allow', reason: 'reads only', risk: 'read' },
        {
          text: 'sort -o b.txt',
          verdict: 'ask',
          reason: 'changes b.txt',
          risk: 'write',
          needs: ['write'],
        },
        { text: 'echo "$(rm -rf /)"', verdict: 'allow', reason: 'changes nothing', risk: 'read' },
        {
          text: 'rm -rf /',
          verdict: 'deny',
          reason: '/ is outside of the workspace',
          risk: 'destroy',
          needs: ['write'],
        },
      ],
    })
  })

  it.each([
    ['ls -la', ['ls', '-la']],
    ["git log --format='%h %s'", ['git', 'log', '--format=%h %s']],
    ["r''m 'a b'", ['rm', 'a b']],
    ['ls | wc', undefined],
    ['ls &', undefined],
    ['ls > x', undefined],
    ['LANG=C ls', undefined],
    ['ls *.ts', undefined],
    ['ls ~', undefined],
    ['head x=~ rm', undefined],
    ['head x[1]+=a:~/b', undefined],
    ['head --x=~', ['head', '--x=~']],
    ['ls $HOME', undefined],
    ['diff <(ls) <(pwd)', undefined],
    ['echo hi', undefined],
    ['cd src', undefined],
    ['{ ls; }', undefined],
    ['! ls', undefined],
  ])('has the words of a plain command, which no shell needs to read: %s', (command, argv) => {
    expect(judgeCommand(command).argv).toEqual(argv)
  })

  it('follows the rules of the app: deny before ask before allow', () => {
    const rules = {
      allow: ['npm test', 'git push *', 'rm old.txt'],
      ask: ['git push --force *', 'ls *'],
      deny: ['git push origin main', 'rm *'],
    }
    const verdictOf = (command: string) => judgeCommand(command, rules).verdict
    expect(verdictOf('npm test')).toBe('allow')
    expect(verdictOf('npm test -- --update')).toBe('ask')
    expect(verdictOf('npm test; npm test')).toBe('allow')
    expect(verdictOf('npm test $(rm x)')).toBe('deny')
    expect(verdictOf('npm test > out.txt')).toBe('ask')
    expect(verdictOf('NODE_OPTIONS=--require=./x npm test')).toBe('ask')
    expect(verdictOf('./npm test')).toBe('ask')
    expect(verdictOf('git push origin dev')).toBe('allow')
    expect(verdictOf('git push "$branch"')).toBe('ask')
    expect(verdictOf('git push --force origin')).toBe('ask')
    expect(verdictOf('git push origin main')).toBe('deny')
    expect(verdictOf('timeout 5 git push origin main')).toBe('deny')
    expect(verdictOf('rm old.txt')).toBe('deny')
    expect(verdictOf('/bin/rm "$x"')).toBe('deny')
    expect(verdictOf('RM x')).toBe('deny')
    expect(verdictOf('ls src')).toBe('ask')
    expect(verdictOf('sh -c "ls src"')).toBe('ask')
  })

  it('asks the rule of paths, from every folder in which a command may run', () => {
    const asked: string[] = []
    judgeCommand('cd a && cat x y; cd b; wc -l z > out', {
      judgePath: ({ path, access }) => {
        asked.push(`${access} ${path}`)
        return { verdict: 'allow', reason: 'of course' }
      },
    })
    expect(asked.join(', ')).toBe(
      'list a, read x, read a/x, read y, read a/y, list b, list a/b, read z, read a/z, read b/z, ' +
        'read a/b/z, write out, write a/out, write b/out, write a/b/out',
    )
  })

  it.each(['rm a\u2800.txt', 'rm a\uFE0F.txt', 'cat a\u{E0101}', 'cat a\u034F'])(
    'asks about characters that cannot be seen: %j',
    (command) => {
      const [part] = judgeCommand(command).parts
      expect(part?.reason).toMatch(/cannot be seen/)
      expect(part?.verdict).toBe('ask')
      expect(part?.isUnknown).toBeUndefined()
    },
  )

  it.each([
    'cat \u0430.txt',
    'ls s\u0440c',
    'c\u0430t a.txt',
    'cat src/\u0441\u0430',
    "cat 'b \u03BFk'",
  ])('asks about letters that look Latin and are not: %j', (command) => {
    const [part] = judgeCommand(command).parts
    expect(part?.reason).toMatch(/looks? Latin .*U\+0[34]/)
    expect(part?.verdict).toBe('ask')
    expect(part?.isUnknown).toBeUndefined()
  })

  it.each([
    'cat отчёт.txt',
    'ls документы/2024',
    'echo сорт',
    'cat café.txt',
    'cat 日本.txt',
    'grep привет a.txt',
  ])('takes the letters of another language as they are: %s', (command) =>
    expect(judgeCommand(command).verdict).toBe('allow'),
  )
})
