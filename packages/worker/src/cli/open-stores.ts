import { existsSync } from 'node:fs'
import { resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import { openDatabase } from '@assent/node'
import { sqliteStores } from '../sqlite-stores.ts'
import type { WorkerStores } from '../stores.ts'
import { CliError } from './cli-error.ts'

/** What commands look at. */
export type CliStores = Pick<
  WorkerStores,
  'inbox' | 'conversations' | 'replies' | 'audit' | 'changes' | 'erase' | 'close'
>

/** Opens the stores that a call names: those of a file, or those that a module makes. */
export async function openStores(
  { file, module }: { readonly file: string | undefined; readonly module: string | undefined },
  env: Readonly<Record<string, string | undefined>>,
  now: () => number,
): Promise<CliStores> {
  if (file !== undefined && module !== undefined) {
    throw new CliError('usage', 'Give --database or --stores, not both.')
  }
  const wanted = module ?? (file === undefined ? env['ASSENT_STORES'] : undefined)
  if (wanted !== undefined && wanted !== '') return importStores(wanted)
  return openFile(file ?? env['ASSENT_DATABASE'] ?? 'assent.db', now)
}

/** A name that was mistyped must not become an empty database. */
function openFile(file: string, now: () => number): CliStores {
  if (existsSync(file)) return sqliteStores(openDatabase(file), { now })
  throw new CliError('not_found', `There is no database at ${file}; name it with --database.`)
}

async function importStores(file: string): Promise<CliStores> {
  const path = resolve(file)
  if (!existsSync(path)) {
    throw new CliError('not_found', `There is no module at ${file}; name it with --stores.`)
  }
  const { default: made }: { readonly default?: unknown } = await import(pathToFileURL(path).href)
  const stores: unknown = await (typeof made === 'function' ? made() : made)
  if (areStores(stores)) return stores
  throw new CliError(
    'usage',
    `${file} exports no stores: its default is to be what postgresStores(database) gives, say, or a ` +
      'function that gives it.',
  )
}

/** Whether it has what commands call first; a type says the rest. */
function areStores(value: unknown): value is CliStores {
  if (typeof value !== 'object' || value === null) return false
  const has = (store: string, method: string): boolean => {
    const found: unknown = Reflect.get(value, store)
    return typeof found === 'object' && found !== null && method in found
  }
  return has('inbox', 'list') && has('changes', 'subscribe') && 'close' in value
}
