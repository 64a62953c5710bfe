import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import { enForm } from '../../locale/en-form.ts'
import { checkFields } from './check-fields.ts'
import { fieldSpec } from './field-spec.ts'
import { changedFields } from './changed-fields.ts'
import { canShow, initialValue, numberFrom, pathKey, withField } from './field-values.ts'

const fieldsOf = (schema: unknown) => {
  const spec = fieldSpec(schema)
  return spec.kind === 'group'
    ? Object.fromEntries(spec.fields.map((field) => [field.name, field.spec]))
    : undefined
}

describe('the form for a schema', () => {
  test('has a control for every kind of value that a form can show', () => {
    const schema = z.toJSONSchema(
      z.object({
        title: z.string().min(1).max(40).describe('What everybody sees'),
        body: z.string(),
        to: z.email(),
        minutes: z.int().min(5).max(480),
        ratio: z.number().optional(),
        notify: z.boolean(),
        level: z.enum(['low', 'high']),
        tags: z.array(z.string()).max(3),
        place: z.object({ room: z.string(), floor: z.int().nullable() }).optional(),
        any: z.unknown(),
      }),
    )
    expect(fieldsOf(schema)).toMatchObject({
      title: { kind: 'text', isLong: false, min: 1, max: 40, description: 'What everybody sees' },
      body: { kind: 'text', isLong: true },
      to: { kind: 'text', format: 'email' },
      minutes: { kind: 'number', isWhole: true, min: 5, max: 480 },
      ratio: { kind: 'number', isWhole: false },
      notify: { kind: 'boolean' },
      level: { kind: 'choice', options: ['low', 'high'] },
      tags: { kind: 'list', item: { kind: 'text' }, max: 3 },
      place: {
        kind: 'group',
        fields: [
          { name: 'room', isRequired: true },
          { name: 'floor', spec: { kind: 'number', isNullable: true } },
        ],
      },
      any: { kind: 'json' },
    })
  })

  test('follows references within the schema, and ends where they go round', () => {
    const schema = {
      type: 'object',
      properties: {
        who: { $ref: '#/$defs/person', description: 'Whom to ask' },
        gone: { $ref: '#/$defs/none' },
        far: { $ref: 'https://example.com/schema' },
      },
      $defs: {
        person: {
          type: 'object',
          properties: { name: { type: 'string' }, boss: { $ref: '#/$defs/person' } },
        },
      },
    }
    const { who, gone, far } = fieldsOf(schema) ?? {}
    expect(who).toMatchObject({ kind: 'group', description: 'Whom to ask' })
    expect([gone, far]).toEqual([{ kind: 'json' }, { kind: 'json' }])
    expect(JSON.stringify(who).match(/boss/g)?.length).toBeLessThan(8)
  })

  test('leaves to JSON what it cannot show, and never leaves anything out', () => {
    const odd = {
      type: 'object',
      properties: {
        either: { anyOf: [{ type: 'string' }, { type: 'object' }] },
        pair: { type: 'array', prefixItems: [{ type: 'string' }] },
        open: { type: 'object', additionalProperties: { type: 'string' } },
        many: { type: ['string', 'number'] },
        no: false,
      },
    }
    expect(Object.values(fieldsOf(odd) ?? {}).map(({ kind }) => kind)).toEqual(
      Array.from({ length: 5 }, () => 'json'),
    )
    for (const broken of [undefined, null, 7, [], { type: 'string', properties: 3 }]) {
      expect(() => fieldSpec(broken)).not.toThrow()
    }
  })

  test('knows values that are nothing, constants, and alternatives of them', () => {
    expect(fieldSpec({ type: ['string', 'null'] })).toMatchObject({
      kind: 'text',
      isNullable: true,
    })
    expect(fieldSpec({ anyOf: [{ type: 'integer' }, { type: 'null' }] })).toMatchObject({
      kind: 'number',
      isNullable: true,
    })
    expect(fieldSpec({ oneOf: [{ const: 'a' }, { const: 'b' }] })).toMatchObject({
      kind: 'choice',
      options: ['a', 'b'],
    })
    expect(fieldSpec({ type: 'string', nullable: true, default: 'x' })).toMatchObject({
      isNullable: true,
      initial: 'x',
    })
  })
})

describe('what was typed', () => {
  const spec = fieldSpec({
    type: 'object',
    required: ['title', 'minutes'],
    properties: {
      title: { type: 'string', minLength: 2, pattern: '^[A-Z]' },
      minutes: { type: 'integer', minimum: 5, exclusiveMaximum: 100, multipleOf: 5 },
      to: { type: 'array', items: { type: 'string', format: 'email' }, minItems: 1 },
      color: { enum: ['red', 'blue'] },
    },
  })
  const wrong = (value: unknown) =>
    checkFields(spec, value, enForm).map(({ path, message }) => `${pathKey(path)} ${message}`)

  test('is checked field by field before the tool is asked', () => {
    expect(wrong({ title: 'Plan', minutes: 45, to: ['a@b.cd'], color: 'red' })).toEqual([])
    expect(wrong({ title: 'plan', minutes: 'many', to: ['x'], color: 'green' })).toEqual([
      'title This isn’t in the format that the tool expects.',
      'minutes Enter a number.',
      'to.0 Enter a valid email address.',
      'color Choose an option.',
    ])
    expect(wrong({ title: '', minutes: 4, to: [] })).toEqual([
      'title Required',
      'minutes At least 5.',
      'to At least 1.',
    ])
    expect(wrong({ minutes: 100 })).toEqual(['title Required', 'minutes Less than 100.'])
    expect(wrong({ title: 'Ab', minutes: 7 })).toEqual(['minutes Enter a multiple of 5.'])
    expect(wrong({ title: 'Ab', minutes: 7.5 })).toEqual(['minutes Enter a whole number.'])
  })

  test('is a number where it says one, in plain notation only', () => {
    expect(['1', ' 2.50 ', '-3', '.5', '1e3'].map(numberFrom)).toEqual([1, 2.5, -3, 0.5, 1000])
    for (const text of ['', '1,5', '0x10', 'Infinity', '1e999', '١', '--1']) {
      expect(numberFrom(text)).toBe(text)
    }
  })

  test('is shown by a control only where that does not change it', () => {
    expect(canShow({ kind: 'text', isLong: false }, 7)).toBe(false)
    expect(canShow({ kind: 'text', isLong: false }, null)).toBe(false)
    expect(canShow({ kind: 'boolean' }, 'yes')).toBe(false)
    expect(canShow({ kind: 'group', fields: [] }, [])).toBe(false)
    expect(canShow({ kind: 'json' }, null)).toBe(true)
  })

  test('keeps its place, and goes when it is left out', () => {
    const before = { a: 1, b: 2, c: 3 }
    expect(Object.entries(withField(before, 'b', 5))).toEqual([
      ['a', 1],
      ['b', 5],
      ['c', 3],
    ])
    expect(withField(before, 'b', undefined)).toEqual({ a: 1, c: 3 })
    expect(Object.hasOwn(withField({}, '__proto__', 'x'), '__proto__')).toBe(true)
    expect(initialValue(spec)).toEqual({ title: '', minutes: '' })
  })
})

test('what was changed is told by the innermost places', () => {
  expect(
    changedFields(
      { a: 1, b: { c: 'x', d: [1, 2] }, e: true, same: [{}] },
      { a: 1, b: { c: 'y', d: [1] }, f: null, same: [{}] },
    ),
  ).toEqual([
    { path: ['b', 'c'], kind: 'changed', before: 'x', after: 'y' },
    { path: ['b', 'd', 1], kind: 'removed', before: 2 },
    { path: ['e'], kind: 'removed', before: true },
    { path: ['f'], kind: 'added', after: null },
  ])
  expect(changedFields({ a: [] }, { a: {} })).toEqual([
    { path: ['a'], kind: 'changed', before: [], after: {} },
  ])
  expect(pathKey(['a.b', 0])).toBe(String.raw`a\.b.0`)
})
