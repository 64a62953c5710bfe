/** What a page does of itself while it is hidden and a person is waited for. */
export interface AttentionOptions {
  /** The count before the title of the page. Default `true`. */
  title?: boolean | undefined
  /** A dot on the icon of the page. Default `false`. */
  favicon?: boolean | undefined
  /** A notification of the system, once a person has allowed them. Default `false`. */
  notification?: boolean | undefined
  /** Also when a turn has ended. Default `false`. */
  turnEnd?: boolean | undefined
}

/** Each of the {@link AttentionOptions}, said. */
export type AttentionWishes = Readonly<Record<keyof AttentionOptions, boolean>>

/** `true` and what is left out are the defaults; `false` is nothing at all. */
export function toWishes(options: boolean | AttentionOptions): AttentionWishes {
  const given = typeof options === 'object' ? options : { title: options }
  const { title = true, favicon = false, notification = false, turnEnd = false } = given
  return { title, favicon, notification, turnEnd }
}
