import type { MessagePart, ToolCallPart } from '@assent/engine'
import { computed, shallowReactive } from 'vue'
import { toolGroups, type ToolGroup } from './tool-groups.ts'

/** The groups of one message, and which of them are open. */
export interface ToolGroups {
  /** The group whose line comes right before this place, if there is one. */
  at(place: number): readonly ToolGroup[]
  /** Whether a line stands for what is at this place. */
  isFolded(place: number): boolean
  isOpen(group: ToolGroup): boolean
  toggle(group: ToolGroup): void
}

export function useToolGroups(
  parts: () => readonly MessagePart[],
  /** Whether the app draws a call itself. */
  isOwn: (part: ToolCallPart) => boolean,
): ToolGroups {
  const groups = computed(() => toolGroups(parts(), isOwn))
  const open = shallowReactive(new Set<string>())

  return {
    at: (place) => groups.value.filter(({ start }) => start === place),
    isFolded: (place) =>
      groups.value.some(({ key, folded }) => folded.has(place) && !open.has(key)),
    isOpen: ({ key }) => open.has(key),
    toggle({ key }) {
      if (!open.delete(key)) open.add(key)
    },
  }
}
