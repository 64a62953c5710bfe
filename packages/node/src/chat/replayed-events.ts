import { LEDGER_CHUNK, type LedgerAnswer } from '@assent/engine'

const encoder = new TextEncoder()
const TOLD = `data: {"type":"${LEDGER_CHUNK}"`
const RUNNING: LedgerAnswer['status'] = 'running'
const RAN: LedgerAnswer['status'] = 'ran'

/** The events of an answer that has ended, told again: what the ledger said ran then has run by now. */
export function asHasRun(): TransformStream<Uint8Array<ArrayBuffer>, Uint8Array<ArrayBuffer>> {
  const decoder = new TextDecoder()
  let rest = ''
  return new TransformStream({
    transform(bytes, controller) {
      const lines = (rest + decoder.decode(bytes, { stream: true })).split('\n')
      rest = lines.pop() ?? ''
      if (lines.length > 0) {
        controller.enqueue(encoder.encode(lines.map((line) => `${presentLine(line)}\n`).join('')))
      }
    },
    flush(controller) {
      if (rest !== '') controller.enqueue(encoder.encode(rest))
    },
  })
}

function presentLine(line: string): string {
  if (!line.startsWith(TOLD)) return line
  const chunk: { readonly data: LedgerAnswer } = JSON.parse(line.slice('data: '.length))
  if (chunk.data.status !== RUNNING) return line
  return `data: ${JSON.stringify({ ...chunk, data: { ...chunk.data, status: RAN } })}`
}
