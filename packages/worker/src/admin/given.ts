/** An object without the fields that are `undefined`. */
export function given<OBJECT extends object>(
  object: OBJECT,
): { [FIELD in keyof OBJECT]?: Exclude<OBJECT[FIELD], undefined> }
export function given(object: object): object {
  return Object.fromEntries(Object.entries(object).filter(([, value]) => value !== undefined))
}
