// Writes what today's code stores as the fixture of its version, once, when that version is new:
//   node --conditions=@assent/source packages/engine/test/storage/write-fixture.ts
// A fixture that is there is never written over: every later version must read it as it is.
import { writeFile } from 'node:fs/promises'
import { RECORDS_VERSION } from '../../src/storage/conversation-records.ts'
import { toFixture, writeCorpus } from './record-corpus.ts'

const file = new URL(`records-version-${RECORDS_VERSION}.json`, import.meta.url)
const text = `${JSON.stringify(toFixture(await writeCorpus()), undefined, 2)}\n`
await writeFile(file, text, { flag: 'wx' })
process.stdout.write(`Wrote ${file.pathname}\n`)
