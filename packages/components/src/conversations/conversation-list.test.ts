import { EngineError } from '@assent/engine'
import type { ConversationListing } from '@assent/engine/storage'
import { expect, test, vi } from 'vitest'
import { page, userEvent } from 'vitest/browser'
import { render } from 'vitest-browser-vue'
import { computed, h, shallowRef } from 'vue'
import { AsConversationList as LazyConversationList } from './index.ts'
import AsConversationList from './AsConversationList.vue'
import AsDrawer from './AsDrawer.vue'
import type { AsConversationListProps, ConversationSource } from './conversation-list-types.ts'
import '../style/index.css'

const HOUR = 3_600_000

function listing(id: string, more: Partial<ConversationListing> = {}): ConversationListing {
  return {
    id,
    title: `About ${id}`,
    isTitleGiven: false,
    createdAt: 0,
    updatedAt: Date.now(),
    messageCount: 2,
    requestState: 'completed',
    waitingCount: 0,
    unreadCount: 0,
    ...more,
  }
}

const cats = listing('cats')
const dogs = listing('dogs', { requestState: 'paused', waitingCount: 2 })
const fish = listing('fish', { unreadCount: 3, updatedAt: Date.now() - 800 * HOUR })

const nav = page.getByRole('navigation', { name: 'Conversations' })
const opener = (name: string) => nav.getByRole('button', { name: new RegExp(`^${name}`) })
const button = (name: string) => nav.getByRole('button', { name, exact: true })
const rows = () => nav.getByRole('listitem')

function mount(more: AsConversationListProps = {}) {
  const props: AsConversationListProps = {
    conversations: [cats, dogs, fish],
    activeId: 'cats',
    ...more,
  }
  return render(AsConversationList, { props })
}

test('shows what there is under its day: what is active, waits, and is unread', async () => {
  await mount()
  await expect.element(opener('About cats')).toHaveAttribute('aria-current', 'true')
  expect(nav.getByRole('heading').elements()[0]!.textContent.trim()).toBe('Today')
  expect(nav.getByRole('heading').elements()).toHaveLength(2)
  await expect.element(opener('About dogs')).toMatchTextContent(/2 need you/)
  await expect.element(opener('About fish')).toMatchTextContent('3 unread')
})

test('tells of what is to be done, and does nothing itself', async () => {
  const { emitted } = await mount()
  await opener('About dogs').click()
  await button('New conversation').click()
  await opener('About fish').hover()
  await button('Export “About fish”').click()
  expect(emitted()).toMatchObject({ open: [['dogs']], create: [[]], export: [['fish']] })
  const input = document.querySelector<HTMLInputElement>(
    '[data-slot="conversations"] [type="file"]',
  )!
  await userEvent.upload(input, new File(['{"a":1}'], 'a.json', { type: 'application/json' }))
  await expect.poll(() => emitted('import')).toMatchObject([['{"a":1}', expect.any(File)]])
})

test('needs no pointer: go along, open, rename, delete, and keep the focus', async () => {
  const { emitted, rerender } = await mount()
  await expect.element(opener('About cats')).toBeVisible()
  nav.getByRole('searchbox').element().focus()
  await userEvent.keyboard('{Tab}')
  // The list is one stop, at the active one; then come its own buttons.
  await expect.element(opener('About cats')).toHaveFocus()
  await userEvent.keyboard('{End}')
  await expect.element(opener('About fish')).toHaveFocus()
  await userEvent.keyboard('{ArrowUp}')
  await expect.element(opener('About dogs')).toHaveFocus()
  await userEvent.keyboard('{F2}')
  const field = nav.getByRole('textbox', { name: 'New name of “About dogs”' })
  await expect.element(field).toHaveFocus()
  await userEvent.keyboard('Puppies{Escape}')
  await expect.element(opener('About dogs')).toHaveFocus()
  await userEvent.keyboard('{F2}Puppies{Enter}')
  expect(emitted('rename')).toEqual([['dogs', 'Puppies']])
  await userEvent.keyboard('{Delete}')
  await expect.element(button('Cancel')).toHaveFocus()
  await expect.element(nav.getByText('About dogs', { exact: true })).toBeVisible()
  await userEvent.keyboard('{Enter}')
  await expect.element(opener('About dogs')).toHaveFocus()
  expect(emitted('delete')).toBeUndefined()
  await userEvent.keyboard('{Delete}')
  await expect.element(button('Cancel')).toHaveFocus()
  await userEvent.keyboard('{Shift>}{Tab}{/Shift}{Enter}')
  expect(emitted('delete')).toEqual([['dogs']])
  await rerender({ conversations: [cats, fish] })
  await userEvent.keyboard('{Home}{ArrowUp}')
  await expect.poll(() => document.activeElement?.closest('nav')).not.toBeNull()
})

test('looks for titles where nobody else searches, and says how many it found', async () => {
  const { emitted, rerender } = await mount()
  await expect.element(opener('About cats')).toBeVisible()
  await nav.getByRole('searchbox').fill('DOG')
  await expect.poll(() => rows().elements()).toHaveLength(1)
  await expect.element(nav.getByRole('status')).toMatchTextContent('1 found')
  expect(emitted('search')).toEqual([['DOG']])
  // Who searches better says what was found.
  await rerender({ found: [fish, cats] })
  await expect.poll(() => rows().elements()).toHaveLength(2)
  await rerender({ found: [] })
  await expect.element(nav.getByText('No results')).toBeVisible()
})

test('lets a slot draw the names', async () => {
  await render(AsConversationList, {
    props: { conversations: [cats, dogs], activeId: 'dogs' },
    slots: {
      name: ({
        conversation,
        isActive,
      }: {
        conversation: ConversationListing
        isActive: boolean
      }) => `${conversation.id}${isActive ? ' here' : ''}`,
    },
  })
  await expect.element(opener('dogs here')).toBeVisible()
  await expect.element(opener('cats')).toBeVisible()
})

test('is asked only for what it is to offer', async () => {
  await mount({ offers: ['rename'], isNew: true })
  await expect.element(opener('About cats')).toBeVisible()
  await expect.element(button('Rename “About cats”')).toBeInTheDocument()
  for (const name of [
    'New conversation',
    'Import…',
    'Delete “About cats”',
    'Export “About cats”',
  ]) {
    expect(button(name).elements()).toHaveLength(0)
  }
  opener('About cats').element().focus()
  await userEvent.keyboard('{Delete}')
  expect(button('Delete').elements()).toHaveLength(0)
})

test('does by itself what is asked for when it is bound to conversations', async () => {
  const conversations = shallowRef([cats, dogs])
  const active = shallowRef('cats')
  const hasMore = shallowRef(true)
  const failed = { success: false, error: new EngineError('storage_failed', 'Disk full.') } as const
  const source = {
    conversations: computed(() => conversations.value),
    isLoaded: computed(() => true),
    active: computed(() => active.value),
    found: computed(() => undefined),
    hasMore: computed(() => hasMore.value),
    loadMore: vi.fn(async () => {
      hasMore.value = false
      conversations.value = [...conversations.value, fish]
      return { success: true, result: undefined } as const
    }),
    error: computed(() => undefined),
    chat: { messageIds: shallowRef(['m']) },
    open: vi.fn(async (id: string) => {
      active.value = id
      return { success: true, result: id } as const
    }),
    create: vi.fn(() => 'new'),
    rename: vi.fn(async () => failed),
    remove: vi.fn(async (id: string) => {
      conversations.value = conversations.value.filter((one) => one.id !== id)
      return { success: true, result: id } as const
    }),
    search: vi.fn(async () => ({ success: true, result: [] }) as const),
    exportConversation: vi.fn(async () => failed),
    importConversation: vi.fn(async () => ({ success: true, result: 'dogs' }) as const),
  } satisfies ConversationSource
  const { emitted } = await render(AsConversationList, { props: { source } })
  // There is room for more.
  await expect.element(opener('About fish')).toBeVisible()
  expect(source.loadMore).toHaveBeenCalledOnce()
  await opener('About dogs').click()
  await expect.element(opener('About dogs')).toHaveAttribute('aria-current', 'true')
  await userEvent.keyboard('{F2}Hounds{Enter}')
  await expect.element(nav.getByRole('alert')).toMatchTextContent(/couldn’t be saved/)
  expect(emitted('rename')).toBeUndefined()
  await userEvent.keyboard('{Delete}')
  await button('Delete').click()
  await expect.element(nav.getByRole('alert')).not.toBeInTheDocument()
  await expect.element(opener('About fish')).toHaveFocus()
  await expect.element(nav.getByRole('status')).toMatchTextContent('“About dogs” was deleted')
  await nav.getByRole('searchbox').fill('words')
  await expect.poll(() => source.search.mock.calls).toEqual([['words']])
  const input = document.querySelector<HTMLInputElement>(
    '[data-slot="conversations"] [type="file"]',
  )!
  await userEvent.upload(input, new File(['{}'], 'a.json', { type: 'application/json' }))
  await expect.poll(() => emitted('open')).toEqual([['dogs'], ['dogs']])
  expect(emitted('delete')).toEqual([['dogs']])
})

test('a thousand conversations are made as they are scrolled to, and one change renders one row', async () => {
  const list = shallowRef(Array.from({ length: 1_000 }, (_, index) => listing(`c${index}`)))
  // Not by role: to look through all rows for it takes longer than to make them.
  const rowCount = () => document.querySelectorAll('.as-conversation').length
  let updates = 0
  await render(
    () =>
      h('div', { style: 'block-size: 600px' }, [
        h(LazyConversationList, { conversations: list.value }),
      ]),
    {
      global: {
        mixins: [
          {
            updated(this: { $options: { __name?: string } }) {
              if (this.$options.__name === 'ConversationRow') updates += 1
            },
          },
        ],
      },
    },
  )
  await expect.poll(rowCount).toBe(100)
  updates = 0
  list.value = list.value.map((one, index) => (index === 3 ? { ...one, unreadCount: 1 } : one))
  await expect.poll(() => nav.getByText('1 unread').elements()).toHaveLength(1)
  expect(updates).toBeLessThanOrEqual(1)
  const scroller = document.querySelector('.as-conversations-scroll')!
  scroller.scrollTop = scroller.scrollHeight
  await expect.poll(rowCount).toBe(200)
  opener('About c0').element().focus()
  await userEvent.keyboard('{End}')
  await expect.element(opener('About c999')).toHaveFocus()
  expect(rowCount()).toBe(1_000)
})

test('a drawer lies over the page, and Escape closes it', async () => {
  const { emitted, rerender } = await render(AsDrawer, {
    props: { label: 'Conversations', open: false },
    slots: { default: () => h('button', 'Inside') },
  })
  const dialog = page.getByRole('dialog', { name: 'Conversations' })
  expect(dialog.elements()).toHaveLength(0)
  await rerender({ open: true })
  await expect.element(dialog).toBeVisible()
  await expect.element(page.getByRole('button', { name: 'Inside' })).toHaveFocus()
  await userEvent.keyboard('{Escape}')
  expect(emitted('update:open')).toEqual([[false]])
  await rerender({ open: false })
  expect(dialog.elements()).toHaveLength(0)
})
