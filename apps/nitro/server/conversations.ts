import { createConversationServer, openDatabase, sqliteConversations } from '@assent/node'

const database = openDatabase(process.env['ASSENT_DATABASE'] ?? ':memory:')

/** Those of all pages. */
export const conversations = createConversationServer({
  conversations: sqliteConversations(database),
})

/** Who connects. */
export function userOf({ url }: { readonly url: string }): string | null {
  return new URL(url, 'http://localhost').searchParams.get('user')
}
