import { z } from 'zod'
import { userName } from '../user-name.ts'

const API = '/api/admin'

const errorBody = z.object({ error: z.object({ code: z.string(), message: z.string() }) })

/** Something that the server refused, or could not be asked. */
export class OfficeError extends Error {
  override readonly name = 'OfficeError'
  readonly code: string

  constructor(code: string, message: string, options?: ErrorOptions) {
    super(message, options)
    this.code = code
  }
}

/** An address of the server's audit or tasks; fields that are empty are left out. */
export function officeAddress(path: string, query: Readonly<Record<string, string>> = {}): string {
  const given = Object.entries(query).filter(([, value]) => value !== '')
  const search = new URLSearchParams(given).toString()
  return `${API}/${path}${search && `?${search}`}`
}

/** Reads something. Throws an {@link OfficeError} that says why it cannot be had. */
export function askOffice<BODY>(address: string, body: z.ZodType<BODY>): Promise<BODY> {
  return send(address, { headers: { 'x-playground-user': userName() } }, body)
}

/** Changes something, in the name of who is at this browser. Throws as {@link askOffice} does. */
export function tellOffice<BODY>(
  path: string,
  said: unknown,
  body: z.ZodType<BODY>,
): Promise<BODY> {
  const headers = { 'x-playground-user': userName(), 'content-type': 'application/json' }
  return send(officeAddress(path), { method: 'POST', headers, body: JSON.stringify(said) }, body)
}

async function send<BODY>(
  address: string,
  init: RequestInit,
  body: z.ZodType<BODY>,
): Promise<BODY> {
  let response: Response
  let answer: unknown
  try {
    response = await fetch(address, init)
    answer = await response.json()
  } catch (cause) {
    throw new OfficeError('unreachable', 'The server cannot be reached.', { cause })
  }
  if (!response.ok) {
    const { data } = errorBody.safeParse(answer)
    throw new OfficeError(
      data?.error.code ?? 'failed',
      data?.error.message ?? `The server answered with status ${response.status}.`,
    )
  }
  return body.parse(answer)
}
