import { randomUUID } from 'node:crypto'
import { open, rename, rm } from 'node:fs/promises'
import { FILTER_OPTIONS, KIND_OPTION, readFilter, readKind } from './audit-filter.ts'
import { CliError } from './cli-error.ts'
import { EXIT, type Command } from './command.ts'

export const auditExport: Command = {
  name: 'audit export',
  summary: 'Prints the audit as lines of JSON, the oldest first, as they were hashed',
  options: {
    ...FILTER_OPTIONS,
    kind: KIND_OPTION,
    output: { value: 'file', help: 'write them into a file, which only its owner may read' },
  },
  async run({ options, audit, out }) {
    const filter = { ...readFilter(options), ...readKind(options) }
    const lines = (await audit()).exportJsonl(filter)
    const file = options.text('output')
    if (file === undefined) {
      for await (const line of lines) await out.raw(line)
      return EXIT.done
    }
    const entries = await writeWhole(file, lines)
    out.say({ file, entries }, () => {
      out.line(
        `Wrote ${entries.toLocaleString('en')} ${entries === 1 ? 'entry' : 'entries'} into ${file}`,
      )
    })
    return EXIT.done
  },
}

/** Writes a file that is there as a whole, or not at all. */
async function writeWhole(file: string, lines: AsyncIterable<string>): Promise<number> {
  const partial = `${file}.${randomUUID().slice(0, 8)}.partial`
  let count = 0
  try {
    const handle = await open(partial, 'wx', 0o600)
    try {
      const stream = handle.createWriteStream({ autoClose: false })
      for await (const line of lines) {
        count++
        await new Promise<void>((resolve, reject) => {
          stream.write(`${line}\n`, (error) => (error ? reject(error) : resolve()))
        })
      }
      await handle.sync()
    } finally {
      await handle.close()
    }
    await rename(partial, file)
    return count
  } catch (cause) {
    await rm(partial, { force: true })
    if (!isFileError(cause)) throw cause
    throw new CliError('unwritable', `${file} cannot be written: ${cause.message}`, { cause })
  }
}

function isFileError(error: unknown): error is NodeJS.ErrnoException {
  return error instanceof Error && 'syscall' in error
}
