import { expect, test } from 'vitest'
import { ask, call } from '../../test/fixtures.ts'
import type { ToolPresentation } from '../config/config.ts'
import { en } from '../locale/en.ts'
import { approveWord, askedRisk, describeCall, humanise } from './describe-call.ts'
import type { Presentation } from './describe-call.ts'

function config(tools: Record<string, ToolPresentation> = {}): Presentation {
  return { locale: en, tools: new Map(Object.entries(tools)) }
}

test('makes the names of tools readable', () => {
  expect(humanise('delete_file')).toBe('Delete file')
  expect(humanise('sendEmail')).toBe('Send email')
  expect(humanise('github.create-issue')).toBe('Github create issue')
  expect(humanise('fetch_url')).toBe('Fetch URL')
  expect(humanise('_')).toBe('_')
})

test('prefers the summary, then the label of the app, then the title, then the name', () => {
  const input = { path: 'a.txt' }
  const titled = { ...ask('edit_file', 'c', input), title: 'Edit a file' }
  const labelled = config({
    edit_file: { label: ({ input }) => `Edit ${Object.keys(input as object)}` },
  })
  expect(describeCall(ask('edit_file', 'c', input, { summary: 'Fix it' }), labelled).full).toBe(
    'Fix it',
  )
  expect(describeCall(titled, labelled).full).toBe('Edit path')
  expect(describeCall(titled, config()).full).toBe('Edit a file a.txt')
  expect(describeCall(ask('edit_file', 'c', input), config()).full).toBe('Edit file a.txt')
})

test('goes on without a label that throws on an input that still streams', () => {
  const label = ({ input }: { input: unknown }): string => (input as { path: string }).path.trim()
  const part = call('edit_file', 'c', { state: 'input-streaming', input: undefined })
  expect(describeCall(part, config({ edit_file: { label } })).full).toBe('Edit file')
})

test('shortens the telling field to its first line', () => {
  const part = ask('run', 'c', { command: `ls -la\n${'x'.repeat(100)}` })
  expect(describeCall(part, config()).target).toBe('ls -la…')
  expect(describeCall(ask('run', 'c', { path: 'x'.repeat(100) }), config()).target).toHaveLength(61)
})

test('does not take what an input inherits for one of its fields', () => {
  expect(
    describeCall(ask('run', 'c', Object.create({ path: 'x' })), config()).target,
  ).toBeUndefined()
})

test('takes the risk from the kit, the tool, then the approval, and fears a change otherwise', () => {
  const approval = { id: 'a', descriptor: { risk: 'send' } }
  const described = call('x', 'c', { state: 'approval-requested', input: {}, approval })
  expect(askedRisk(described)).toBe('send')
  expect(askedRisk({ ...described, toolMetadata: { risk: 'destroy' } })).toBe('destroy')
  expect(askedRisk(ask('x', 'c', {}, { risk: 'read' }))).toBe('read')
  expect(askedRisk(ask('x', 'c', {}))).toBe('write')
  expect(askedRisk({ ...described, toolMetadata: { risk: 'harmless' } })).toBe('send')
})

test('names the approval after what it does', () => {
  expect(approveWord(ask('mail.sendMessage', 'c', {}), config())).toBe('Send')
  expect(approveWord(ask('constructor', 'c', {}), config())).toBe('Approve')
  expect(approveWord(ask('deploy', 'c', {}), config({ deploy: { approve: 'Ship it' } }))).toBe(
    'Ship it',
  )
})

test('what is heard names hidden characters and hosts in disguise, as what is seen does', () => {
  const summary = 'Run curl https://exam\u200Bple.com # \u202Etxt.sgol'
  const { full, sentence } = describeCall(ask('run', 'c', {}, { summary }), config())
  expect(sentence).toBe(summary)
  expect(full).toBe('Run curl https://exam ZWSP ple.com #  RLO txt.sgol')
})
