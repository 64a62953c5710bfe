import { expect, it } from 'vitest'
import { compileRules } from './gitleaks-rules.ts'

const END = String.raw`(?:[\x60'"\s;]|\\[nr]|$)`
const BETWEEN = String.raw`(?:[ \t\w.-]{0,20})[\s'"]{0,3}(?:=|>|:{1,3}=|\|\||:|=>|\?=|,)[\x60'"\s=]{0,5}`
const rule = (id: string, regex: string, keywords: string) =>
  `[[rules]]\nid = "${id}"\nregex = '''${regex}'''\nkeywords = [${keywords}]\n`

it('rules of gitleaks become patterns of JavaScript, without what only Go reads', () => {
  const { shapes } = compileRules(
    [
      rule('some-token', String.raw`\b(tok_(?i)[[:alnum:]]{8})${END}`, '"tok_"'),
      rule('open-token', '(?P<a>one|two)_[a-f]{4}', '\n    "one_",\n    "two_",\n'),
    ].join('\n'),
  )
  expect(shapes).toEqual([
    'some token\ttok_\ttok_[a-z0-9]{8}',
    String.raw`open token	one_ two_	(?:one|two)_[a-f]{4}\w*`,
  ])
})

it('values with a name before them are kept by their pattern, with every spelling of the name', () => {
  const { named, shapes } = compileRules(
    [
      rule('a', `(?i)[\\w.-]{0,50}?(?:linked[_-]?in)${BETWEEN}([a-z]{4})${END}`, '"linked"'),
      rule(
        'b',
        `(?i)[\\w.-]{0,50}?(?:(?-i:ETSY|[Ee]tsy)|shop)${BETWEEN}([a-z]{4})${END}`,
        '"etsy"',
      ),
      rule(
        'c',
        `(?i)[\\w.-]{0,50}?(?:jira)${BETWEEN}([0-9]{3})${END}|\\b(JI[a-z]{9})${END}`,
        '"ji"',
      ),
    ].join('\n'),
  )
  expect(named).toEqual(['[a-z]{4}\tlinked_in linked-in linkedin etsy shop', '[0-9]{3}\tjira'])
  expect(shapes).toEqual(['c\tji\tJI[a-z]{9}'])
})

it('what stays out is told with its reason, and what cannot be read is an error', () => {
  const { left, shapes } = compileRules(
    `[[rules]]\nid = "files"\npath = '''x'''\nkeywords = []\n${rule('jwt', 'ey.*', '"ey"')}`,
  )
  expect(shapes).toEqual([])
  expect([...left.keys()]).toEqual(['files', 'jwt'])
  expect(left.get('files')).toBe('it looks at names of files')
  expect(() => compileRules(rule('x', String.raw`a\Qb`, '"a"'))).toThrow('Not converted')
})
