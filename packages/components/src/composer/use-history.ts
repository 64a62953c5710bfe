/** The person's former messages, brought back by arrow keys. */
export interface History {
  /** Answers whether the key was about the history. */
  onKeyDown(event: KeyboardEvent): boolean
}

export interface HistoryOptions {
  /** Oldest first. */
  entries: () => readonly string[]
  text: () => string
  /** Puts a text into the field, with the cursor at its end. */
  show: (text: string) => void
}

/**
 * Arrow up in an empty field shows the last message, then the ones before it; arrow down goes back, and
 * Escape gives the field up as it was: empty. What was brought back and changed is a new message.
 * Within a text of several lines the arrow keys move the cursor first.
 */
export function useHistory({ entries, text, show }: HistoryOptions): History {
  let shown: string | undefined
  let fromEnd = 0

  function go(step: number): boolean {
    const list = entries()
    const next = Math.min(fromEnd + step, list.length)
    if (next < 1) return leave()
    const entry = list.at(-next)
    if (entry === undefined) return false
    fromEnd = next
    shown = entry
    show(entry)
    return true
  }

  function leave(): boolean {
    fromEnd = 0
    shown = undefined
    show('')
    return true
  }

  return {
    onKeyDown({ key, target, isComposing, altKey, ctrlKey, metaKey, shiftKey }) {
      if (isComposing || altKey || ctrlKey || metaKey || shiftKey) return false
      if (!(target instanceof HTMLTextAreaElement)) return false
      const isBrowsing = shown !== undefined && shown === text()
      if (!isBrowsing) fromEnd = 0
      const { selectionStart, selectionEnd, value } = target
      if (key === 'Escape') return isBrowsing && leave()
      if (key === 'ArrowUp') {
        const isOnFirst = !value.slice(0, selectionStart).includes('\n')
        return (value === '' || (isBrowsing && isOnFirst)) && go(1)
      }
      if (key === 'ArrowDown') {
        return isBrowsing && !value.slice(selectionEnd).includes('\n') && go(-1)
      }
      return false
    },
  }
}
