import { isPlaceholder } from './assignment-finder.ts'
import type { Found } from './search.ts'

/** Commands that take a password by an option that does not say so, up to that option. */
const COMMANDS = [
  String.raw`sshpass[ \t]{1,4}-p`,
  String.raw`(?:docker|podman|helm|oc)[ \t][^\n|;&]{0,60}?\blogin[ \t][^\n|;&]{0,100}?(?<=[ \t])-p`,
  String.raw`mysql(?:dump|admin|import)?[ \t](?:[^\n|;&]{0,100}?[ \t])?-p(?=\S)`,
  String.raw`redis-cli[ \t](?:[^\n|;&]{0,100}?[ \t])?-a`,
  String.raw`zip[ \t](?:[^\n|;&]{0,100}?[ \t])?-P`,
  String.raw`openssl[ \t][^\n|;&]{0,100}?-pass(?:in|out)?[ \t]{1,4}pass:`,
  String.raw`(?<=^[ \t]{0,8})(?:requirepass|masterauth)`,
]
const PASSWORD_OPTION = new RegExp(String.raw`(?<![\w-])(?:${COMMANDS.join('|')})[ \t]{0,4}`, 'gm')
const VALUES = [/"(?<value>[^"\n]*)/y, /'(?<value>[^'\n]*)/y, /(?<value>[^\s"'|;&<>]*)/y]

/** `sshpass -p password`, `mysql -ppassword`, and what is like them */
export function* commandPasswords(text: string): Generator<Found> {
  for (const match of text.matchAll(PASSWORD_OPTION)) {
    const from = match.index + match[0].length
    for (const pattern of VALUES) {
      pattern.lastIndex = from
      const found = pattern.exec(text)
      if (!found) continue
      const value = found.groups?.['value'] ?? ''
      const end = from + found[0].length
      const isSecret = value !== '' && !isPlaceholder(value)
      yield { kind: 'password', start: end - value.length, end, reach: end, isSecret }
      break
    }
  }
}
