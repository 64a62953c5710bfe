/**
 * Reads on until `take` has enough, the bytes end or fail, or `ms` are over; what is left is cancelled
 * then. Never rejects.
 */
export async function readOn(
  reader: ReadableStreamDefaultReader<Uint8Array>,
  ms: number,
  take: (bytes: Uint8Array) => boolean,
): Promise<void> {
  const timer = setTimeout(cancelQuietly, ms, reader)
  try {
    for (;;) {
      const { done, value } = await reader.read()
      if (done || !take(value)) break
    }
  } catch {
    // What came until then is enough.
  }
  clearTimeout(timer)
  cancelQuietly(reader)
}

/** Reads no more. That a body failed by itself does not matter then. */
export function cancelQuietly(reader: ReadableStreamDefaultReader<Uint8Array>): void {
  reader.cancel().catch(() => {})
}
