import type { BrowserContext, Locator, Page } from 'playwright'
import { expect } from 'vitest'
import { z } from 'zod'

const toolPart = z.looseObject({
  type: z.string().startsWith('tool-'),
  state: z.string(),
  output: z.unknown().optional(),
  approval: z
    .looseObject({
      approved: z.boolean().optional(),
      reason: z.string().optional(),
      signature: z.string().optional(),
      isAutomatic: z.boolean().optional(),
    })
    .optional(),
})
const chatBody = z.looseObject({
  messages: z.array(z.looseObject({ role: z.string(), parts: z.array(z.unknown()) })),
})

/** A tool call as the server received it. */
export type SentToolPart = z.infer<typeof toolPart>

/** A page of the playground, looked at and acted on as a person does. */
export interface Visit {
  readonly page: Page
  /** The bodies of all requests for an answer, in order. */
  readonly requests: readonly z.infer<typeof chatBody>[]
  /** What the page complained about: console errors and warnings, uncaught errors. */
  readonly complaints: string[]
  /** Requests that went to another origin. */
  readonly foreignRequests: readonly string[]
  /** The person's messages field. */
  readonly composer: Locator
  /** Types a message and sends it with Enter. */
  say(text: string): Promise<void>
  /** Waits until the conversation stands at this state. */
  until(state: 'paused' | 'completed' | 'aborted' | 'error'): Promise<void>
  /** The card that asks about this. */
  ask(sentence: string): Locator
  /** Denies with a reason in the person's own words. */
  deny(sentence: string, reason: string): Promise<void>
  /** Approves, and allows more such calls for good. What is left out stays as it was offered. */
  always(
    sentence: string,
    choices: { which?: string; where?: 'Everywhere'; howLong?: '5 times' },
  ): Promise<void>
  /** The standing permissions that say this. */
  standing(text: string): Locator
  /** Holds a button down until the card is decided. */
  holdToApprove(sentence: string, button: string): Promise<void>
  /** The assistant's latest words and calls. */
  answer(): Promise<string>
  /** The titles of the notes as they are shown. */
  noteTitles(): Promise<string[]>
  note(title: string): Locator
  /** The calls of a tool in the latest request, in order. */
  sentCalls(toolName: string): SentToolPart[]
}

/** Opens the page and waits until it is ready to be used. */
export async function visit(context: BrowserContext, url: string): Promise<Visit> {
  const page = await context.newPage()
  page.setDefaultTimeout(30_000)
  const requests: z.infer<typeof chatBody>[] = []
  const complaints: string[] = []
  const foreignRequests: string[] = []
  page.on('request', (request) => {
    const target = new URL(request.url())
    if (target.protocol !== 'data:' && target.origin !== url) foreignRequests.push(target.href)
    if (target.pathname === '/api/chat') requests.push(chatBody.parse(request.postDataJSON()))
  })
  page.on('pageerror', (error) => complaints.push(error.message))
  page.on('console', (message) => {
    if (['error', 'warning'].includes(message.type())) complaints.push(message.text())
  })
  await page.goto(url)
  try {
    await page.getByRole('list', { name: 'Examples' }).waitFor()
  } catch (cause) {
    throw new Error(['The page did not come up.', ...complaints].join('\n'), { cause })
  }

  const composer = page.getByRole('textbox', { name: 'Message' })
  const ask = (sentence: string) => page.getByRole('group', { name: sentence, exact: true })
  const note = (title: string) =>
    page
      .getByRole('list', { name: 'Notes' })
      .getByRole('listitem')
      .filter({ has: page.getByRole('heading', { name: title, exact: true }) })

  return {
    page,
    requests,
    complaints,
    foreignRequests,
    composer,
    ask,
    note,
    async say(text) {
      await composer.fill(text)
      await composer.press('Enter')
    },
    async until(state) {
      await page.locator(`[data-slot="chat"][data-state="${state}"]`).waitFor()
    },
    async deny(sentence, reason) {
      const card = ask(sentence)
      await card.getByRole('button', { name: 'Deny' }).click()
      await card.getByRole('button', { name: 'Something else…' }).click()
      await card.getByRole('textbox').fill(reason)
      await card.getByRole('button', { name: 'Deny' }).click()
    },
    async always(sentence, { which, where, howLong }) {
      const card = ask(sentence)
      await card.getByRole('button', { name: 'Always…' }).click()
      const form = card.getByRole('form', { name: 'Always…' })
      for (const label of [which, where, howLong]) {
        if (label !== undefined) await form.getByText(label, { exact: true }).click()
      }
      await form.getByRole('button', { name: 'Always allow' }).click()
      await card.locator('[data-slot="receipt"]').waitFor()
    },
    standing: (text) =>
      page.locator('[data-slot="policy-list"]').getByRole('listitem').filter({ hasText: text }),
    async holdToApprove(sentence, button) {
      const card = ask(sentence)
      const target = card.getByRole('button', { name: button })
      await target.hover()
      await expect.poll(() => target.isEnabled()).toBe(true)
      await page.mouse.down()
      await card.locator('[data-slot="receipt"]').waitFor()
      await page.mouse.up()
    },
    answer: () => page.getByRole('article').last().innerText(),
    noteTitles: () =>
      page.getByRole('list', { name: 'Notes' }).getByRole('heading').allInnerTexts(),
    sentCalls(toolName) {
      const parts = requests.at(-1)?.messages.flatMap((message) => message.parts) ?? []
      return parts.flatMap((part) => {
        const call = toolPart.safeParse(part).data
        return call?.type === `tool-${toolName}` ? [call] : []
      })
    },
  }
}

/** Asks for a command, whose shell the server loads only then: the answer. */
export async function answerToCommand(here: Visit, command: string): Promise<string> {
  await here.say(`Run the command “${command}”`)
  await here.until('completed')
  return here.answer()
}

/**
 * Has a command change the figures of a file on the server, looks at the diff on its card, says yes, and
 * reads the file with a command that needs no question. Until the yes another visitor finds it unchanged.
 */
export async function approveChangeByCommand(here: Visit, other: Visit): Promise<string> {
  const command = 'sed -i s/1410/1500/ sales.csv'
  await here.say(`Run the command “${command}”`)
  await here.until('paused')
  const card = here.ask(`Run ${command}`)
  const diff = card.locator('[data-slot="preview"][data-kind="diff"]')
  await diff.getByText('2026-10,north,1410').waitFor()
  await diff.getByText('2026-10,north,1500').waitFor()
  const unchanged = await answerToCommand(other, 'grep -c 1410 sales.csv')
  expect(unchanged).toMatch(/^1$/m)
  await card.getByRole('button', { name: 'Approve', exact: true }).click()
  await here.until('completed')
  expect(await here.answer()).toContain('[Written: sales.csv.]')
  return answerToCommand(here, 'cat sales.csv')
}

/** A word that nothing but this test knows. */
export function randomWord(): string {
  return `w${crypto.randomUUID().slice(0, 8)}`
}
