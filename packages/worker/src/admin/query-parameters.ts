import { RequestError } from '@assent/node'

/** The parameters of a request's address. Each throws 400 when it cannot be read. */
export interface QueryParameters {
  text(name: string): string | undefined
  /** A whole number, from 0. */
  whole(name: string): number | undefined
  one<VALUE extends string>(name: string, of: readonly VALUE[]): VALUE | undefined
  /** It may be there more than once. */
  some<VALUE extends string>(name: string, of: readonly VALUE[]): readonly VALUE[]
}

export function queryParameters({ url }: Pick<Request, 'url'>): QueryParameters {
  const { searchParams } = new URL(url)
  /** An empty field of a form was not filled in. */
  const text = (name: string) => searchParams.get(name) || undefined

  function oneOf<VALUE extends string>(name: string, value: string, of: readonly VALUE[]): VALUE {
    const found = of.find((one) => one === value)
    if (found !== undefined) return found
    throw badQuery(`${name}: must be one of ${of.join(', ')}, not ${JSON.stringify(value)}.`)
  }

  return {
    text,
    whole(name) {
      const value = text(name)
      if (value === undefined) return undefined
      const number = Number(value)
      if (/^\d+$/.test(value) && Number.isSafeInteger(number)) return number
      throw badQuery(`${name}: must be a whole number, not ${JSON.stringify(value)}.`)
    },
    one(name, of) {
      const value = text(name)
      return value === undefined ? undefined : oneOf(name, value, of)
    },
    some: (name, of) => searchParams.getAll(name).map((value) => oneOf(name, value, of)),
  }
}

function badQuery(message: string): RequestError {
  return new RequestError(400, 'bad-query', message)
}
