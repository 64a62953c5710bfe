import { EngineError } from '@assent/engine'
import { describe, expect, test } from 'vitest'
import { page, userEvent, type Locator } from 'vitest/browser'
import { commands, paused } from '../../test/asks.ts'
import type { ChatDouble } from '../../test/chat-double.ts'
import { ask } from '../../test/fixtures.ts'
import { mountChat, slotElement } from '../../test/mount.ts'

const input: { tags: unknown[]; [name: string]: unknown } = {
  title: 'Planning',
  minutes: 45,
  level: 'low',
  notify: true,
  tags: ['work'],
  place: { room: 'Blue' },
  extra: { deep: [1] },
}
const schema = {
  type: 'object',
  required: ['title', 'minutes', 'level', 'notify', 'tags'],
  properties: {
    title: { type: 'string', minLength: 1, description: 'What everybody sees' },
    minutes: { type: 'integer', minimum: 5 },
    level: { enum: ['low', 'high'] },
    notify: { type: 'boolean' },
    tags: { type: 'array', items: { type: 'string' } },
    place: { type: 'object', properties: { room: { type: 'string' } }, required: ['room'] },
    reminder: { type: 'integer', default: 10 },
    color: { type: ['string', 'null'] },
  },
}
const event = ask('create_event', 'c2', input, { summary: 'Create an event', risk: 'write' })

const change = (): Locator => page.getByRole('button', { name: 'Edit', exact: true })
const confirm = (): Locator => page.getByRole('button', { name: 'Approve with changes' })
const box = (name: string | RegExp): Locator => page.getByRole('textbox', { name })
const sent = (double: ChatDouble): unknown[] =>
  commands(double).map((args) => ((args as unknown[])[2] as { input?: unknown }).input)

async function openForm(known: unknown = schema, given = input): Promise<ChatDouble> {
  const double = paused({ ...event, input: given })
  double.answerSchema({ success: true, result: { schema: known } })
  await mountChat(double, { height: 900 })
  await change().click()
  await expect.element(box('title')).toHaveFocus()
  return double
}

describe('the form of an input', () => {
  test('has a named control for each field, with what is known of it', async () => {
    await openForm()
    await expect.element(box('title')).toHaveValue('Planning')
    await expect.element(box('title')).toHaveAccessibleDescription('What everybody sees')
    await expect.element(box('minutes')).toHaveValue('45')
    await expect.element(page.getByRole('radio', { name: 'low' })).toBeChecked()
    await expect.element(page.getByRole('checkbox', { name: /notify/ })).toBeChecked()
    await expect.element(page.getByRole('group', { name: /^tags/ })).toBeVisible()
    await expect
      .element(page.getByRole('group', { name: /^place/ }).getByRole('textbox'))
      .toHaveValue('Blue')
    // What the schema does not name would run, too.
    await expect.element(box(/^extra/)).toHaveValue('{\n  "deep": [\n    1\n  ]\n}')
  })

  test('sends the whole input with what was changed, and says beforehand what that is', async () => {
    const double = await openForm()
    await box('title').fill('Planning of Q3')
    await box('minutes').fill('60')
    await page.getByRole('radio', { name: 'high' }).click({ force: true })
    await page.getByRole('checkbox', { name: /notify/ }).click()
    await page.getByRole('button', { name: '+ Add item' }).click()
    await expect.element(box('Item 2')).toHaveFocus()
    await userEvent.keyboard('new')
    await page.getByRole('button', { name: 'Remove Item 1' }).click()
    await page.getByRole('button', { name: 'Set reminder' }).click()
    await expect.element(box(/^reminder/)).toHaveFocus()
    await page.getByRole('button', { name: 'Remove place' }).click()
    expect(slotElement('changes').innerText).toMatch(/changes/)
    await confirm().click()
    expect(sent(double)).toEqual([
      {
        title: 'Planning of Q3',
        minutes: 60,
        level: 'high',
        notify: false,
        tags: ['new'],
        extra: { deep: [1] },
        reminder: 10,
      },
    ])
  })

  test('moves an item of a list, and the focus and what was typed go with it', async () => {
    const tags = ['one', 'two', ['three']]
    const double = await openForm(schema, { ...input, tags })
    const up = (place: number) => page.getByRole('button', { name: `Move Item ${place} up` })
    const down = (place: number) => page.getByRole('button', { name: `Move Item ${place} down` })
    await expect.element(up(1)).toHaveAttribute('aria-disabled', 'true')
    await expect.element(down(3)).toHaveAttribute('aria-disabled', 'true')
    await box('Item 3').fill('["three"')
    await up(3).click()
    await expect.element(up(2)).toHaveFocus()
    await expect.element(page.getByText('Now 2 of 3.')).toBeInTheDocument()
    await expect.element(box('Item 2')).toHaveValue('["three"')
    await expect.element(box('Item 3')).toHaveValue('two')
    await userEvent.keyboard('{Enter}')
    await expect.element(up(1)).toHaveFocus()
    await userEvent.keyboard('{Enter}')
    await expect.element(box('Item 1')).toHaveValue('["three"')
    await box('Item 1').fill('["3"]')
    await confirm().click()
    expect(sent(double)).toEqual([{ ...input, tags: [['3'], 'one', 'two'] }])
  })

  test('forgets what was typed into an item that is left out, and nothing else', async () => {
    const double = await openForm(schema, { ...input, tags: ['one', ['two'], ['three']] })
    await box('Item 2').fill('["two"')
    await box('Item 3').fill('["3"]')
    await page.getByRole('button', { name: 'Remove Item 2' }).click()
    await expect.element(box('Item 2')).toHaveValue('["3"]')
    await confirm().click()
    expect(sent(double)).toEqual([{ ...input, tags: ['one', ['3']] }])
  })

  test('has nothing to move where there is one item', async () => {
    await openForm()
    await expect.element(box('Item 1')).toBeVisible()
    expect(page.getByRole('button', { name: /^Move/ }).elements()).toHaveLength(0)
  })

  test('is a plain approval where nothing was changed, and after a reset', async () => {
    const double = await openForm()
    await box('title').fill('Another')
    await page.getByRole('button', { name: 'Reset' }).click()
    await expect.element(box('title')).toHaveValue('Planning')
    await confirm().click()
    expect(commands(double)).toMatchObject([
      ['tool', 'resumeToolCall', { toolCallId: 'c2', messageId: 'a1', outcome: 'yes' }],
    ])
  })

  test('says beside each field what is wrong, and goes to the first', async () => {
    const double = await openForm()
    await box('title').fill('')
    await box('minutes').fill('many')
    await confirm().click()
    expect(commands(double)).toEqual([])
    await expect.element(box('title')).toHaveFocus()
    await expect.element(box('title')).toHaveAccessibleDescription('What everybody sees Required')
    await expect.element(box('minutes')).toHaveAccessibleDescription('Enter a number.')
    await expect.element(page.getByText('Check 2 fields')).toBeInTheDocument()
    await box('minutes').fill('3')
    await expect.element(box('minutes')).toHaveAccessibleDescription('At least 5.')
    await box('minutes').fill('30')
    await expect.element(box('minutes')).not.toHaveAttribute('aria-invalid')
  })

  test('shows what the tool says beside the field that it is about', async () => {
    const double = await openForm()
    double.onCommand(() => ({
      success: false,
      error: new EngineError('invalid_input', 'place.room: taken', {
        details: { issues: [{ path: ['place', 'room'], message: 'This room is taken' }] },
      }),
    }))
    await box('title').fill('Another')
    await confirm().click()
    await expect.element(box('room')).toHaveFocus()
    await expect.element(box('room')).toHaveAccessibleDescription('This room is taken')
    await expect.element(box('title')).toHaveValue('Another')
    await box('room').fill('Green')
    await expect.element(box('room')).not.toHaveAttribute('aria-invalid')
  })

  test('shows what the tool says about no field below the form', async () => {
    const double = await openForm()
    double.onCommand(() => ({
      success: false,
      error: new EngineError('invalid_input', 'Too much at once'),
    }))
    await box('title').fill('Another')
    await confirm().click()
    await expect.element(page.getByRole('alert')).toMatchTextContent(/Too much at once/)
  })

  test('can be JSON, and a form again, with the same values', async () => {
    const double = await openForm()
    await box('title').fill('Another')
    await page.getByRole('button', { name: 'JSON' }).click()
    const json = box('Input as JSON')
    await expect.element(json).toHaveFocus()
    expect(JSON.parse((json.element() as HTMLTextAreaElement).value)).toMatchObject({
      title: 'Another',
    })
    await json.fill('{ "title": ')
    await page.getByRole('button', { name: 'Form', exact: true }).click()
    await expect.element(json).toHaveAccessibleDescription(/^This is not valid JSON/)
    await json.fill(JSON.stringify({ ...input, title: 'Third' }))
    await page.getByRole('button', { name: 'Form', exact: true }).click()
    await expect.element(box('title')).toHaveValue('Third')
    await confirm().click()
    expect(sent(double)).toEqual([{ ...input, title: 'Third' }])
  })

  test('does not send JSON in a field that is none', async () => {
    const double = await openForm()
    await box(/^extra/).fill('{ "deep"')
    await confirm().click()
    await expect.element(box(/^extra/)).toHaveAccessibleDescription(/^This is not valid JSON/)
    expect(commands(double)).toEqual([])
  })

  test('sets a value to nothing and back', async () => {
    const double = await openForm()
    await page.getByRole('button', { name: 'Set color' }).click()
    await page.getByRole('button', { name: 'Set to null' }).click()
    await confirm().click()
    expect(sent(double)).toEqual([{ ...input, color: null }])
  })

  test('makes hidden characters in a field visible', async () => {
    await openForm()
    await box('title').fill('Plan\u200bning')
    expect(slotElement('hidden-in-field').innerText).toBe('1 hidden character: PlanZWSPning')
  })

  test('is JSON where the schema is none of an object', async () => {
    const double = paused(event)
    double.answerSchema({ success: true, result: { schema: { type: 'string' } } })
    await mountChat(double)
    await change().click()
    await expect.element(box('Input as JSON')).toHaveFocus()
  })

  test('says why where the input cannot be edited', async () => {
    const double = paused(event)
    double.answerSchema({
      success: false,
      error: new EngineError('not_editable', 'Give the tool a schema that validates.'),
    })
    await mountChat(double)
    await change().click()
    await expect
      .element(page.getByRole('alert'))
      .toHaveTextContent('You can’t edit this input. This call can only run as it is.')
    await confirm().click()
    expect(commands(double)).toEqual([])
  })
})
