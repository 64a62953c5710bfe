import type { EngineError } from '@assent/engine'
import type { UseMessageReturn } from '@assent/vue'
import type { FileUIPart, UIMessage } from 'ai'
import { computed, type ComputedRef } from 'vue'

type Part = UIMessage['parts'][number]

/** What can be done about a turn that failed of what its message carries. */
export interface RefusedFiles {
  /** How many files go; 0 when the turn did not fail of any. */
  readonly count: ComputedRef<number>
  /** There is nothing in the message beside them. */
  readonly isAll: ComputedRef<boolean>
  /** Sends the message without them, or takes it out where nothing is left. */
  leaveOut(): ReturnType<UseMessageReturn['editMessage']> | undefined
}

/** Reads which files of the last message of the person the model could not be given. */
export function useRefusedFiles<MESSAGE extends UIMessage>(
  chat: () => UseMessageReturn<MESSAGE>,
): RefusedFiles {
  const message = computed(() => {
    const lastId = chat().messageIds.value.findLast(
      (id) => chat().message(id).value?.role === 'user',
    )
    return lastId === undefined ? undefined : chat().message(lastId).value
  })
  const refused = computed((): ReadonlySet<Part> => {
    const { error } = chat()
    if (error.value?.details['kind'] !== 'files') return new Set()
    const named = namesIn(error.value)
    const files = message.value?.parts.filter(isFile) ?? []
    const found = files.filter((file) => named.has(nameOf(file)))
    return new Set(found.length > 0 ? found : files)
  })
  const left = computed(() => message.value?.parts.filter((part) => !refused.value.has(part)) ?? [])

  return {
    count: computed(() => refused.value.size),
    isAll: computed(() => left.value.length === 0),
    leaveOut() {
      if (!message.value) return undefined
      const { id, metadata } = message.value
      if (left.value.length > 0) {
        const parts = { parts: left.value, ...(metadata !== undefined && { metadata }) }
        return chat().editMessage(id, parts as Parameters<UseMessageReturn['editMessage']>[1])
      }
      chat().setMessages(chat().messages.value.filter((one) => one.id !== id))
      return undefined
    },
  }
}

function isFile(part: Part): part is FileUIPart {
  return part.type === 'file'
}

/** What the server says of the files, which nobody vouches for. */
function namesIn({ details }: EngineError): ReadonlySet<string> {
  const { files } = details
  return new Set(Array.isArray(files) ? files.map((file) => nameOf(Object(file))) : [])
}

function nameOf(file: { readonly filename?: unknown; readonly mediaType?: unknown }): string {
  return JSON.stringify([file.filename ?? null, file.mediaType ?? null])
}
