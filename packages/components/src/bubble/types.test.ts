import type { UIMessage } from 'ai'
import { expectTypeOf, test } from 'vitest'
import TypedSlots from '../../test/TypedSlots.fixture.vue'
import type { TypedMessage } from '../../test/typed-messages.ts'
import type { BubbleSlots } from './index.ts'

type SlotProps<NAME extends keyof BubbleSlots<TypedMessage>> = Parameters<
  NonNullable<BubbleSlots<TypedMessage>[NAME]>
>[0]
type DeletePart = SlotProps<'tool-delete_file'>['part']

test('a slot named after a tool is given the call with the input and output of that tool', () => {
  expectTypeOf<DeletePart['type']>().toEqualTypeOf<'tool-delete_file'>()
  expectTypeOf<Extract<DeletePart, { state: 'approval-requested' }>['input']>().toEqualTypeOf<{
    path: string
  }>()
  expectTypeOf<Extract<DeletePart, { state: 'output-available' }>['output']>().toEqualTypeOf<{
    freed: number
  }>()
})

test('a slot named after a data part is given its data', () => {
  expectTypeOf<SlotProps<'part-data-weather'>['part']['data']>().toEqualTypeOf<{
    degrees: number
  }>()
  expectTypeOf<SlotProps<'part-text'>['message']>().toEqualTypeOf<TypedMessage>()
})

test('a slot for the preview of a tool is given its call', () => {
  expectTypeOf<
    Extract<SlotProps<'tool-delete_file-preview'>['part'], { state: 'approval-requested' }>['input']
  >().toEqualTypeOf<{ path: string }>()
})

test('there is no slot for a tool, part or step that the message does not have', () => {
  type Names = keyof BubbleSlots<TypedMessage>
  expectTypeOf<'tool-delete_file'>().toExtend<Names>()
  expectTypeOf<'tool-read_file'>().not.toExtend<Names>()
  expectTypeOf<'part-data-news'>().not.toExtend<Names>()
  expectTypeOf<'part-step-start'>().not.toExtend<Names>()
  expectTypeOf<'part-tool-delete_file'>().not.toExtend<Names>()
})

test('messages without types have slots for any tool and data', () => {
  type Names = keyof BubbleSlots<UIMessage>
  expectTypeOf<'tool-anything'>().toExtend<Names>()
  expectTypeOf<'part-data-anything'>().toExtend<Names>()
  expectTypeOf<'part-anything'>().not.toExtend<Names>()
})

test('a template with all of these slots compiles', () => {
  expectTypeOf(TypedSlots).not.toBeAny()
})
