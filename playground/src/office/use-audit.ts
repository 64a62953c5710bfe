import { useDebounceFn } from '@vueuse/core'
import { computed, reactive, shallowRef, watch, type ComputedRef, type ShallowRef } from 'vue'
import { z } from 'zod'
import { askOffice, officeAddress } from './office-api.ts'
import {
  auditedCall,
  auditEntry,
  type AuditedCallBody,
  type AuditEntryBody,
} from './office-bodies.ts'
import { useChanges } from './use-changes.ts'

/** What of the audit is shown. Empty fields narrow nothing. */
export interface AuditView {
  /** Calls as they stand, or all that happened. */
  list: 'calls' | 'entries'
  text: string
  tool: string
  conversation: string
  status: string
  kind: string
  /** Milliseconds; how far back. */
  within: string
}

/** The audit as a page shows it, the newest first. */
export interface UseAudit {
  readonly view: AuditView
  /** What is to be asked for with the view. */
  readonly query: ComputedRef<Record<string, string>>
  readonly calls: Readonly<ShallowRef<readonly AuditedCallBody[]>>
  readonly entries: Readonly<ShallowRef<readonly AuditEntryBody[]>>
  /** Whether there are older ones than those that are shown. */
  readonly hasMore: Readonly<ShallowRef<boolean>>
  readonly isLoaded: Readonly<ShallowRef<boolean>>
  readonly trouble: Readonly<ShallowRef<string | undefined>>
  showMore(): void
}

/** How calls end. */
export const OUTCOMES_OF_CALLS = [
  'success',
  'error',
  'timeout',
  'denied',
  'cancelled',
  'interrupted',
] as const

const PAGE = 50
const callsBody = z.object({ calls: z.array(auditedCall) })
const entriesBody = z.object({ entries: z.array(auditEntry) })

/** Reads the audit, and again whenever the view or the audit changes. */
export function useAudit(): UseAudit {
  const view = reactive<AuditView>(viewOfAddress())
  const calls = shallowRef<readonly AuditedCallBody[]>([])
  const entries = shallowRef<readonly AuditEntryBody[]>([])
  const hasMore = shallowRef(false)
  const isLoaded = shallowRef(false)
  const trouble = shallowRef<string>()
  const limit = shallowRef(PAGE)
  let latest = 0

  const query = computed(() => ({
    text: view.text.trim(),
    tool: view.tool.trim(),
    conversation: view.conversation.trim(),
    ...statusOf(view),
    kind: view.list === 'entries' ? view.kind : '',
    since: view.within === '' ? '' : String(Date.now() - Number(view.within)),
  }))

  async function read(): Promise<void> {
    const turn = ++latest
    // One more than is shown tells whether there are more.
    const asked = { ...query.value, limit: String(limit.value + 1) }
    try {
      const [someCalls, someEntries] =
        view.list === 'calls'
          ? [(await askOffice(officeAddress('audit/calls', asked), callsBody)).calls, []]
          : [[], (await askOffice(officeAddress('audit/entries', asked), entriesBody)).entries]
      if (turn !== latest) return
      hasMore.value = someCalls.length + someEntries.length > limit.value
      calls.value = someCalls.slice(0, limit.value)
      entries.value = someEntries.slice(0, limit.value)
      trouble.value = undefined
      isLoaded.value = true
    } catch (error) {
      if (turn === latest) trouble.value = error instanceof Error ? error.message : String(error)
    }
  }

  const readSoon = useDebounceFn(read, 150)
  watch(view, () => {
    limit.value = PAGE
    void readSoon()
  })
  useChanges(() => void read())

  return {
    view,
    query,
    calls,
    entries,
    hasMore,
    isLoaded,
    trouble,
    showMore() {
      limit.value += PAGE
      void read()
    },
  }
}

/** Of calls it can be asked how they ended; of entries what they tell. */
function statusOf({ list, status }: AuditView): Record<'status' | 'outcome', string> {
  if (!OUTCOMES_OF_CALLS.some((outcome) => outcome === status)) return { status, outcome: '' }
  if (list === 'calls') return { status: '', outcome: status }
  return { status: status === 'success' ? 'done' : 'failed', outcome: '' }
}

/** A link may say what is to be shown: `audit.html?conversation=…`. */
function viewOfAddress(): AuditView {
  const asked = new URLSearchParams(location.search)
  return {
    list: asked.get('list') === 'entries' ? 'entries' : 'calls',
    text: asked.get('text') ?? '',
    tool: asked.get('tool') ?? '',
    conversation: asked.get('conversation') ?? '',
    status: '',
    kind: '',
    within: '',
  }
}
