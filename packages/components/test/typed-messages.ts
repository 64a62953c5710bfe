import type { UIMessage } from 'ai'

/** A conversation whose tools and data are known by type. */
export type TypedMessage = UIMessage<
  { model: string },
  { weather: { degrees: number } },
  {
    delete_file: { input: { path: string }; output: { freed: number } }
    send_email: { input: { to: string; body: string }; output: void }
  }
>
