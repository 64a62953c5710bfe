const encoder = /* @__PURE__ */ new TextEncoder()
// A byte order mark is a character like any other here.
const decoder = /* @__PURE__ */ new TextDecoder('utf-8', { ignoreBOM: true })

/** The bytes of a text. */
export function toUtf8(text: string): Uint8Array {
  return encoder.encode(text)
}

/** The text of bytes. */
export function fromUtf8(bytes: Uint8Array): string {
  return decoder.decode(bytes)
}

/** Whether a byte continues a character (10xxxxxx). */
export function isContinuation(byte = 0): boolean {
  return (byte & 0xc0) === 0x80
}
