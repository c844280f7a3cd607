// Guards of values that another program or person wrote: the one way in which shapes of documents are checked.

export type Guard<T = unknown> = (value: unknown) => value is T

export const isText: Guard<string> = (value) => typeof value === 'string'
export const isNumber: Guard<number> = (value) => typeof value === 'number'
export const isBoolean: Guard<boolean> = (value) => typeof value === 'boolean'
export const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
export const isTime: Guard<string> = (value): value is string => isText(value) && !Number.isNaN(Date.parse(value))
export const anyOf =
  (...texts: readonly string[]): Guard<string> =>
  (value): value is string =>
    isText(value) && texts.includes(value)
/** null counts as absent, as it does in Go. */
export const isAbsent: Guard<null | undefined> = (value) => value === undefined || value === null

export const optional =
  <T>(is: Guard<T>): Guard<T | null | undefined> =>
  (value) =>
    isAbsent(value) || is(value)

export const listOf =
  <T>(is: Guard<T>): Guard<readonly T[]> =>
  (value) =>
    Array.isArray(value) && value.every(is)

/** An object whose fields pass these guards; it may have others. */
export const shaped =
  <T>(fields: Readonly<Record<string, Guard>>): Guard<T> =>
  (value): value is T =>
    isRecord(value) && Object.entries(fields).every(([name, is]) => is(value[name]))
