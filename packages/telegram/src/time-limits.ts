/** Seconds that Telegram waits for something to tell before it answers a poll. */
export const POLL_SECONDS = 30
/** Milliseconds that Telegram has to answer a call, body and all. */
export const CALL_LIMIT_MS = 15_000
/** The same for a poll: its own time, and some for the way. */
export const POLL_LIMIT_MS = POLL_SECONDS * 1_000 + 10_000
/** The same for a file, either way. */
export const FILE_LIMIT_MS = 120_000
