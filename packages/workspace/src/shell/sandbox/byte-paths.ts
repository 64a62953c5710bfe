import { isUtf8 } from 'node:buffer'
import { realpathSync } from 'node:fs'

// Names on a disk of Linux are bytes and need not be UTF-8. Here each byte of such a name that is not ASCII is a
// half of a surrogate pair, U+DC80 to U+DCFF, which no text that is UTF-8 holds: the bytes come back as they were.

const FIRST_OF_BYTES = 0xdc00
const BYTE = /([\uDC80-\uDCFF])/u

/** A name as text. */
export function textOfBytes(bytes: Buffer): string {
  if (isUtf8(bytes)) return bytes.toString('utf8')
  return Array.from(bytes, (byte) =>
    String.fromCharCode(byte < 0x80 ? byte : FIRST_OF_BYTES + byte),
  ).join('')
}

/** The bytes that a text stands for. */
export function bytesOf(text: string): Buffer {
  const pieces = text.split(BYTE).map((piece) => {
    const code = piece.charCodeAt(0)
    const isByte = piece.length === 1 && BYTE.test(piece)
    return isByte ? Buffer.from([code - FIRST_OF_BYTES]) : Buffer.from(piece)
  })
  return Buffer.concat(pieces)
}

/** A path as the functions of Node take it. */
export function onDisk(path: string): string | Buffer {
  return isUtf8Name(path) ? path : bytesOf(path)
}

/** Whether a name is UTF-8: rules of names say nothing of others, nor can a person read them. */
export function isUtf8Name(name: string): boolean {
  return name.isWellFormed()
}

/** Where a path leads to, links followed. Throws as `realpathSync` does. */
export function realPathOf(path: string): string {
  return textOfBytes(realpathSync.native(onDisk(path), 'buffer'))
}
