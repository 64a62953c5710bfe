import { createReadStream } from 'node:fs'
import { createInterface } from 'node:readline'
import { type AuditHead, type AuditVerification, verifyJsonl } from '@assent/node'
import { CliError } from './cli-error.ts'
import { EXIT, type Command } from './command.ts'

export const auditVerify: Command = {
  name: 'audit verify',
  summary: 'Says whether anything in the audit was changed, taken away, put in or moved',
  options: {
    head: {
      value: 'seq:hash',
      help: 'what an earlier verification gave as head: it must be there',
    },
    jsonl: { value: 'file', help: 'check an exported file instead of the database' },
    filtered: { help: 'with --jsonl: the export had a filter, so there are gaps' },
  },
  async run({ options, audit, out }) {
    const noted = options.text('head')
    const given = noted === undefined ? {} : { head: readHead(noted) }
    const file = options.text('jsonl')
    const found =
      file === undefined
        ? await (await audit()).verify(given)
        : await verifyFile(file, { ...given, isFiltered: options.has('filtered') })
    out.say(found, () => out.line(verdict(found)))
    return found.valid ? EXIT.done : EXIT.no
  },
}

function verdict(found: AuditVerification): string {
  if (!found.valid) return `BROKEN at entry ${found.firstBad} (${found.why}): ${found.message}`
  const { entries, head } = found
  const count = `${entries.toLocaleString('en')} ${entries === 1 ? 'entry' : 'entries'}`
  return `${count}, chain valid. Head: ${head.seq}:${head.hash}`
}

function readHead(text: string): AuditHead {
  const [, seq, hash] = /^(\d{1,15}):([0-9a-f]{64})$/.exec(text) ?? []
  if (hash !== undefined) return { seq: Number(seq), hash }
  throw new CliError('usage', '--head is a number, a colon and a hash, as verify prints them.')
}

async function verifyFile(
  file: string,
  options: { readonly head?: AuditHead; readonly isFiltered: boolean },
): Promise<AuditVerification> {
  const input = createReadStream(file, 'utf8')
  try {
    return await verifyJsonl(createInterface({ input, crlfDelay: Infinity }), options)
  } catch (cause) {
    throw new CliError('not_found', `${file} cannot be read; see that it exists.`, { cause })
  } finally {
    input.destroy()
  }
}
