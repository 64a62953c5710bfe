import type { FileUIPart } from 'ai'

const UNKNOWN_TYPE = 'application/octet-stream'

/** A file as a part that carries its data. Rejects with the reader's error, or what aborted it. */
export function readDataUrl(file: File, signal: AbortSignal): Promise<FileUIPart> {
  return new Promise((resolve, reject) => {
    const reader = new FileReader()
    signal.addEventListener('abort', () => {
      reader.abort()
      reject(signal.reason)
    })
    reader.addEventListener('error', () => reject(reader.error))
    reader.addEventListener('load', () => {
      const mediaType = file.type || UNKNOWN_TYPE
      // The browser writes the type as it knows it, which may be none.
      const data = String(reader.result).replace(/^data:[^,]*?(;base64)?,/, `data:${mediaType}$1,`)
      resolve({ type: 'file', mediaType, filename: file.name, url: data })
    })
    reader.readAsDataURL(file)
  })
}
