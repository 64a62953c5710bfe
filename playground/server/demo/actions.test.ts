import { describe, expect, test } from 'vitest'
import { readCalls } from './actions.ts'
import { namesIn, partOf, readPhrase, splitRequest } from './phrase.ts'

/** The calls of a request, as `tool {json}`, stage by stage. */
function callsOf(request: string): string[][] {
  const phrase = readPhrase(request)
  return splitRequest(phrase.text).map((clauses) =>
    clauses
      .flatMap((clause) => readCalls(partOf(phrase, clause)))
      .map(({ toolName, input }) => `${toolName} ${JSON.stringify(input)}`),
  )
}

const note = (title: string, content: string) => [
  [`write_note ${JSON.stringify({ title, content })}`],
]
const titled = (tool: string, ...titles: string[]) => [
  titles.map((title) => `${tool} ${JSON.stringify({ title })}`),
]
const report = (to: string, subject: string, body: string) => [
  [`send_report ${JSON.stringify({ to, subject, body })}`],
]

describe('a request', () => {
  test.each<[string, string[][]]>([
    ['Write a note called “A” saying “B”', note('A', 'B')],
    [
      'write a note called "A b" saying "C, and delete it; then stop."',
      note('A b', 'C, and delete it; then stop.'),
    ],
    ["create a new note named 'A' with the content 'It is'", note('A', 'It is')],
    [
      'Please make me a note titled Shopping saying buy milk and eggs.',
      note('Shopping', 'buy milk and eggs'),
    ],
    ['Could you add a note “A”: “B”?', note('A', 'B')],
    ['Save a note “A” “B”', note('A', 'B')],
    ['make a note called “A” with “B”', note('A', 'B')],
    ['add a note: call the bank', note('call the bank', 'call the bank')],
    ['Make a note that the milk is sour', note('the milk is sour', 'the milk is sour')],
    [
      'write a note saying “one two three four five six”',
      note('one two three four five …', 'one two three four five six'),
    ],
    ['write a note about llamas', note('llamas', '')],
    ['create a note', note('New note', '')],
    ['change the note “A” to “B”', note('A', 'B')],
    ['Update my note Ideas to say nothing at all', note('Ideas', 'nothing at all')],
    ['archive A', titled('archive_note', 'A')],
    ['Archive the note “A” and “B, C”', titled('archive_note', 'A', 'B, C')],
    ['please delete the note called Old draft!', titled('delete_note', 'Old draft')],
    ['Remove my Shopping note', titled('delete_note', 'Shopping')],
    ['erase the notes A, B and C', titled('delete_note', 'A', 'B', 'C')],
    ['open “A”', titled('read_note', 'A')],
    ['Show me the note Ideas', titled('read_note', 'Ideas')],
    ['list notes', [['list_notes {}']]],
    ['Show me all of my notes', [['list_notes {}']]],
    ['What notes are there?', [['list_notes {}']]],
    ['how many notes do I have', [['list_notes {}']]],
    ['List all primes below 50,000', [['list_primes {"below":50000}']]],
    ['show me the primes', [['list_primes {"below":1000}']]],
    ['search for “x y”', [['search_notes {"query":"x y"}']]],
    ['Search my notes for launch', [['search_notes {"query":"launch"}']]],
    ['find all notes about cats.', [['search_notes {"query":"cats"}']]],
    ['look for dogs in my notes', [['search_notes {"query":"dogs"}']]],
    ['Export my notes to “the old drive”', [['export_notes {"target":"the old drive"}']]],
    ['export everything', [['export_notes {"target":"the archive drive"}']]],
    [
      'Send a report to ada@example.org saying “All green”',
      report('ada@example.org', 'All green', 'All green'),
    ],
    ['email the report titled “Q3” to Bob with the text “fine”.', report('Bob', 'Q3', 'fine')],
    [
      'Send Ada a report about the launch to ada@example.org',
      report('ada@example.org', 'the launch', 'Nothing to report.'),
    ],
    ['send a report', report('team@example.org', 'Report', 'Nothing to report.')],
    ['What time is it?', [['server_time {}']]],
    ["tell me the server's time", [['server_time {}']]],
    ['delete the backup “b 1”', [['delete_backup {"name":"b 1"}']]],
    ['Remove the old backup nightly-17.', [['delete_backup {"name":"nightly-17"}']]],
    [
      'archive “A”, delete “B”; and what time is it?',
      [['archive_note {"title":"A"}', 'delete_note {"title":"B"}', 'server_time {}']],
    ],
    [
      'List my notes, write a note called “A” saying “B, and C”, and archive “D”',
      [
        [
          'list_notes {}',
          'write_note {"title":"A","content":"B, and C"}',
          'archive_note {"title":"D"}',
        ],
      ],
    ],
    [
      'List my notes. Delete “A” and then archive “B”, after that search for C',
      [
        ['list_notes {}', 'delete_note {"title":"A"}'],
        ['archive_note {"title":"B"}'],
        ['search_notes {"query":"C"}'],
      ],
    ],
    ['write a note called A saying then and there', note('A', 'then and there')],
    ['Hello! How do you do?', [[]]],
  ])('%s', (request, calls) => {
    expect(callsOf(request)).toEqual(calls)
  })
})

test('quoted values are found in every kind of quotes, apostrophes are none', () => {
  const words = `“a” "b" «c» \`d\` 'e' ‘f’ don't won’t`
  const phrase = readPhrase(words)
  expect(namesIn(phrase, phrase.text)).toEqual(['a', 'b', 'c', 'd', 'e', 'f'])
  expect(phrase.restore(phrase.text)).toBe("a b c d e f don't won’t")
})
