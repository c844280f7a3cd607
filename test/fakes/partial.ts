// A part of an interface in the place of the whole: what a test did not expect to be called says so.

export function only<T extends object>(name: string, part: Partial<T>): T {
  return new Proxy(part, {
    get: (target, key) =>
      Reflect.get(target, key) ??
      (() => {
        throw new Error(`${name}.${String(key)} was not expected to be called`)
      }),
  }) as T
}
