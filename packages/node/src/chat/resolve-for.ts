/** A value, or how to find it for one request. */
export type OfRequest<T, REQUEST> = T | ((request: REQUEST) => T | PromiseLike<T>)

/** The value for a request. */
export function resolveFor<T, REQUEST>(
  value: OfRequest<T, REQUEST>,
  request: REQUEST,
): T | PromiseLike<T> {
  return isFunction(value) ? value(request) : value
}

function isFunction<T, REQUEST>(
  value: OfRequest<T, REQUEST>,
): value is (request: REQUEST) => T | PromiseLike<T> {
  return typeof value === 'function'
}
