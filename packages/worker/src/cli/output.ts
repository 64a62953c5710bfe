import type { Writable } from 'node:stream'
import { visibleJson } from '@assent/engine/reading'
import { tableLines, type TableColumn } from './table.ts'
import { visibleText } from './visible-text.ts'

/** What a command prints. */
export interface Output {
  /** Values are printed for programs: nothing but one JSON text, or JSON lines. */
  readonly isJson: boolean
  /** Prints a value as JSON when that is asked for, else what `print` does. */
  say(value: unknown, print: () => void): void
  /** Prints a line, with what cannot be seen in it made visible. */
  line(text?: string): void
  /** Prints a table that is no wider than the terminal. */
  table<ROW>(columns: readonly TableColumn<ROW>[], rows: readonly ROW[]): void
  /** Prints a line as it is; resolves when more may follow. */
  raw(line: string): Promise<void>
}

/** @param width of the terminal in cells; `undefined` when what is printed goes elsewhere */
export function createOutput(
  stream: Writable,
  { isJson, width }: { readonly isJson: boolean; readonly width: number | undefined },
): Output {
  const line = (text = '') => void stream.write(`${visibleText(text)}\n`)
  return {
    isJson,
    line,
    say(value, print) {
      if (isJson) stream.write(`${visibleJson(value, 2)}\n`)
      else print()
    },
    table(columns, rows) {
      for (const text of tableLines(columns, rows, width)) stream.write(`${text}\n`)
    },
    raw: (text) =>
      new Promise((resolve, reject) => {
        stream.write(`${text}\n`, (error) => (error ? reject(error) : resolve()))
      }),
  }
}
