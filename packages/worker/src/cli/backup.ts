import { existsSync } from 'node:fs'
import { backupDatabase, openDatabase } from '@assent/node'
import { CliError } from './cli-error.ts'
import { EXIT, type Command } from './command.ts'

export const backup: Command = {
  name: 'backup',
  summary: 'Copies the database of --database into a new file, while others go on with it',
  operands: '<file>',
  options: {},
  async run({ options, operands, env, out }) {
    const [copy, ...more] = operands
    if (copy === undefined || more.length > 0) throw new CliError('usage', 'Name one new file.')
    const isFile = options.text('database') !== undefined
    if (options.text('stores') !== undefined || (!isFile && (env['ASSENT_STORES'] ?? '') !== '')) {
      throw new CliError(
        'usage',
        'backup copies a SQLite file: name it with --database. Copy another backend by its own means, such as pg_dump.',
      )
    }
    const file = options.text('database') ?? env['ASSENT_DATABASE'] ?? 'assent.db'
    if (!existsSync(file)) {
      throw new CliError('not_found', `There is no database at ${file}; name it with --database.`)
    }
    const database = openDatabase(file, { readOnly: true })
    try {
      await backupDatabase(database, copy)
    } finally {
      await database.close()
    }
    out.say({ file: copy }, () => out.line(`Copied ${file} into ${copy}.`))
    return EXIT.done
  },
}
