import type { AssentDatabase } from '@assent/node'
import type { ChatRecords } from '../telegram-records.ts'

export function chatRecords({ sqlite, transaction }: AssentDatabase, botId: number): ChatRecords {
  const move = sqlite.prepare(
    `INSERT INTO telegram_moves VALUES (?, ?, ?)
     ON CONFLICT DO UPDATE SET moved_to = excluded.moved_to`,
  )
  const unsend = sqlite.prepare(
    `UPDATE telegram_asks SET message_id = NULL
     WHERE bot_id = ? AND chat_id = ? AND over_at IS NULL AND decision_json IS NULL`,
  )
  const moves = sqlite.prepare('SELECT chat_id, moved_to FROM telegram_moves WHERE bot_id = ?')
  return {
    async move(from, to) {
      await transaction(() => {
        move.run(botId, from, to)
        unsend.run(botId, from)
      })
    },
    moves: async () =>
      moves
        .all(botId)
        .map((row) => ({ from: Number(row['chat_id']), to: Number(row['moved_to']) })),
  }
}
