/** A report that is to be sent. */
export interface Report {
  to: string
  subject: string
  body: string
}

/** A report that was sent. */
export interface SentReport extends Report {
  receipt: string
  /** ISO 8601. */
  sentAt: string
}

/** Where sent reports end up; it stands for a mail server, and nothing leaves the machine. */
export interface Outbox {
  send: (report: Report) => SentReport
  /** What was sent, oldest first. */
  list: () => readonly SentReport[]
}

/** An empty outbox in memory. */
export function createOutbox(now: () => Date = () => new Date()): Outbox {
  const sent: SentReport[] = []
  return {
    send: ({ to, subject, body }) => {
      const receipt = `r-${crypto.randomUUID().slice(0, 8)}`
      const report = { receipt, to, subject, body, sentAt: now().toISOString() }
      sent.push(report)
      return report
    },
    list: () => [...sent],
  }
}
