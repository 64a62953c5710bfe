import { isPlaceholder } from './assignment-finder.ts'
import type { Found } from './search.ts'

/** The kind that {@link kubernetesSecrets} finds. */
export const KUBERNETES_KIND = 'kubernetes secret'

/** Its kind may stand right before it. */
const BEGIN =
  /(?:\bkind(?:\\?")?[ \t]{0,4}:[ \t]{0,4}(?:\\?["'])?Secret(?:\\?["'])?,?\s{1,40}(?:\\?")?)?\bapiVersion\b/g
/** No object is read further. */
const LONGEST = 20_000
const NEXT = /\n---|\bapiVersion\b/g
const KIND =
  /(?:^|[\n{,])[ \t-]{0,40}(?:\\?")?kind(?:\\?")?[ \t]{0,4}:[ \t]{0,4}(?:\\?["'])?(?<kind>\w{1,60})/
const YAML_DATA = /(?<=\n)(?<indent>[ \t]{0,40})(?:data|stringData):[ \t]{0,8}\r?\n/g
const YAML_LINE =
  /(?<indent>[ \t]{0,60})(?:(?<key>["']?[\w.-]{1,253}["']?:[ \t]{1,8})?(?<value>[^\r\n]*))(?:\r?\n|$)/y
const JSON_DATA = /\\?"(?:data|stringData)\\?"\s{0,8}:\s{0,8}\{(?<entries>[^{}]*)/g
const JSON_ENTRY = /(?<key>\\?"[\w.-]{1,253}\\?"\s{0,8}:\s{0,8}\\?")(?<value>[^"\\]*)/g

/** The values of a `Secret` of Kubernetes, in YAML and in JSON, whatever they are called. */
export function* kubernetesSecrets(text: string): Generator<Found> {
  for (const { index, 0: begin } of text.matchAll(BEGIN)) {
    NEXT.lastIndex = index + begin.length
    const end = Math.min(NEXT.exec(text)?.index ?? text.length, index + LONGEST)
    const object = text.slice(index, end)
    const told = KIND.exec(object)
    const kind = told?.groups?.['kind']
    // As long as its kind is not told, or not to its end, all of the rest may tell it.
    const isOpen = !told || index + told.index + told[0].length === text.length
    if (kind !== 'Secret' && !isOpen) continue
    for (const { start, length } of [...yamlValues(object), ...jsonValues(object)]) {
      const at = index + start
      const reach = isOpen ? end : at + length
      yield {
        kind: KUBERNETES_KIND,
        start: at,
        end: at + length,
        reach,
        isSecret: kind === 'Secret',
      }
    }
  }
}

interface Value {
  readonly start: number
  readonly length: number
}

function* yamlValues(object: string): Generator<Value> {
  for (const match of object.matchAll(YAML_DATA)) {
    const outer = match.groups?.['indent']?.length ?? 0
    YAML_LINE.lastIndex = match.index + match[0].length
    for (;;) {
      const at = YAML_LINE.lastIndex
      const line = at < object.length ? YAML_LINE.exec(object) : null
      const { indent = '', key = '', value = '' } = line?.groups ?? {}
      if (!line || (value !== '' && indent.length <= outer)) break
      const start = at + indent.length + key.length
      // The lines of a long text have no name of their own.
      if (isValue(value)) yield { start, length: value.length }
    }
  }
}

function* jsonValues(object: string): Generator<Value> {
  for (const { index, 0: whole, groups } of object.matchAll(JSON_DATA)) {
    const entries = groups?.['entries'] ?? ''
    const from = index + whole.length - entries.length
    for (const entry of entries.matchAll(JSON_ENTRY)) {
      const { key = '', value = '' } = entry.groups ?? {}
      if (isValue(value)) yield { start: from + entry.index + key.length, length: value.length }
    }
  }
}

function isValue(text: string): boolean {
  return text !== '' && !/^(?:[|>][+-]?\d?|\{\}|""|'')[ \t]*$/.test(text) && !isPlaceholder(text)
}
