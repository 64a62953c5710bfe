import ts from 'typescript'
import { parse } from 'vue/compiler-sfc'

/** One reference from a file to another module. */
export interface ModuleImport {
  specifier: string
  /** Nothing of it is left at run time. */
  typeOnly: boolean
  /** Counted from 1. */
  line: number
}

/** All imports of a TypeScript file or Vue component: static, dynamic, of types, re-exports. */
export function readImports(file: string, text: string): ModuleImport[] {
  if (!file.endsWith('.vue')) return scriptImports(file, text, 0)
  const { script, scriptSetup } = parse(text, { filename: file, sourceMap: false }).descriptor
  return [script, scriptSetup].flatMap((block) =>
    block ? scriptImports(`${file}.ts`, block.content, block.loc.start.line - 1) : [],
  )
}

function scriptImports(file: string, text: string, linesBefore: number): ModuleImport[] {
  const source = ts.createSourceFile(file, text, ts.ScriptTarget.Latest)
  const found: ModuleImport[] = []
  const visit = (node: ts.Node): void => {
    const reference = referenceOf(node)
    if (reference) {
      const { line } = source.getLineAndCharacterOfPosition(reference.literal.getStart(source))
      const { literal, typeOnly } = reference
      found.push({ specifier: literal.text, typeOnly, line: line + 1 + linesBefore })
    }
    ts.forEachChild(node, visit)
  }
  visit(source)
  return found
}

interface Reference {
  literal: ts.StringLiteralLike
  typeOnly: boolean
}

/** The module that a piece of syntax refers to, if it refers to one. */
export function referenceOf(node: ts.Node): Reference | undefined {
  if (ts.isImportDeclaration(node)) {
    const typeOnly = node.importClause?.phaseModifier === ts.SyntaxKind.TypeKeyword
    return literalReference(node.moduleSpecifier, typeOnly)
  }
  if (ts.isExportDeclaration(node)) return literalReference(node.moduleSpecifier, node.isTypeOnly)
  if (ts.isImportTypeNode(node) && ts.isLiteralTypeNode(node.argument)) {
    return literalReference(node.argument.literal, true)
  }
  if (ts.isModuleDeclaration(node)) return literalReference(node.name, true)
  if (ts.isExternalModuleReference(node)) return literalReference(node.expression, false)
  if (ts.isCallExpression(node) && node.expression.kind === ts.SyntaxKind.ImportKeyword) {
    return literalReference(node.arguments[0], false)
  }
  return undefined
}

function literalReference(node: ts.Node | undefined, typeOnly: boolean): Reference | undefined {
  return node && ts.isStringLiteralLike(node) ? { literal: node, typeOnly } : undefined
}
