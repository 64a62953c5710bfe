import { resolve } from 'node:path'
import ts from 'typescript'

/** The ways in which users of a published package resolve its types. */
export const RESOLUTIONS = ['bundler', 'node'] as const

export type Resolution = (typeof RESOLUTIONS)[number]

const OPTIONS: Readonly<Record<Resolution, ts.CompilerOptions>> = {
  bundler: { module: ts.ModuleKind.ESNext, moduleResolution: ts.ModuleResolutionKind.Bundler },
  node: { module: ts.ModuleKind.NodeNext, moduleResolution: ts.ModuleResolutionKind.NodeNext },
}

/**
 * Type-checks files as a user's own project would, and with them every declaration in `checked`.
 * Declarations of others are not judged.
 *
 * @param files absolute paths of the user's files
 * @param checked folder whose declarations are judged as well
 * @returns what is wrong, one line each
 */
export function checkAsConsumer(
  files: readonly string[],
  checked: string,
  resolution: Resolution,
): string[] {
  const program = ts.createProgram(files, {
    ...OPTIONS[resolution],
    target: ts.ScriptTarget.ES2022,
    lib: ['lib.es2022.d.ts', 'lib.dom.d.ts', 'lib.dom.iterable.d.ts', 'lib.dom.asynciterable.d.ts'],
    strict: true,
    noEmit: true,
    types: [],
  })
  const folder = resolve(checked)
  return program
    .getSourceFiles()
    .filter(({ fileName }) => files.includes(fileName) || resolve(fileName).startsWith(folder))
    .flatMap((file) => [
      ...program.getSyntacticDiagnostics(file),
      ...program.getSemanticDiagnostics(file),
    ])
    .map(describeDiagnostic)
}

function describeDiagnostic({ file, start = 0, messageText }: ts.Diagnostic): string {
  const message = ts.flattenDiagnosticMessageText(messageText, '\n')
  if (!file) return message
  const { line } = file.getLineAndCharacterOfPosition(start)
  return `${file.fileName}:${line + 1}  ${message}`
}
