// The shape of what an engine answers: the keys and types of its JSON, without the values; and where two differ.
/** A type's name, a list of what is in a list, or the keys of an object. Different lines of a stream are a list. */
export type Shape = string | readonly Shape[] | {readonly [key: string]: Shape}
/** By question. */
export type Shapes = Readonly<Record<string, Shape>>

/** What the real engine and the simulator answer in different shapes, and why that is right. By question and path. */
export const EXPLAINED: Readonly<Record<string, string>> = {
  'image.OsVersion': 'only images of Windows have one',
}

export function shapeOfLines(text: string): Shape {
  const values = text.split('\n').filter((line) => line.trim() !== '')
  return listShape(values.map((line) => JSON.parse(line) as unknown))
}

/** Each different shape once, in an order of its own: how often and when lines come is no matter of shape. */
function listShape(values: readonly unknown[]): Shape {
  const shapes = new Map(values.map((value) => shapeOf(value)).map((shape) => [JSON.stringify(shape), shape]))
  return [...shapes].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, shape]) => shape)
}

export function shapeOf(value: unknown): Shape {
  if (value === null) return 'null'
  if (Array.isArray(value)) return listShape(value)
  if (typeof value !== 'object') return typeof value
  const entries = Object.entries(value).map(([key, inner]) => [key, shapeOf(inner)] as const)
  return Object.fromEntries(entries.sort(([a], [b]) => (a < b ? -1 : 1)))
}

/** Where two shapes differ: "question.key.key: one, other". */
function differences(one: Shape | undefined, other: Shape | undefined, path: string): string[] {
  if (JSON.stringify(one) === JSON.stringify(other)) return []
  const isObject = (shape: Shape | undefined): shape is Readonly<Record<string, Shape>> =>
    typeof shape === 'object' && !Array.isArray(shape)
  // A list of one object differs inside it.
  if (isSingle(one) && isSingle(other)) return differences(one[0], other[0], path)
  if (
    Array.isArray(one) &&
    Array.isArray(other) &&
    one.length === 2 &&
    typeof one[0] === 'string' &&
    one[0] === other[0]
  ) {
    return differences(one[1] as Shape, other[1] as Shape, path)
  }

  if (!isObject(one) || !isObject(other)) return [`${path}: ${JSON.stringify(one)}, ${JSON.stringify(other)}`]
  const keys = [...new Set([...Object.keys(one), ...Object.keys(other)])].sort()
  return keys.flatMap((key) => differences(one[key], other[key], `${path}.${key}`))
}

const isSingle = (shape: Shape | undefined): shape is readonly [Shape] => Array.isArray(shape) && shape.length === 1

/** All differences by question. Those that are explained must be there, or they are no longer true. */
export function unexplained(
  real: Shapes,
  simulated: Shapes,
  explained: Readonly<Record<string, string>> = EXPLAINED,
): string[] {
  const found = Object.keys({...real, ...simulated}).flatMap((name) => differences(real[name], simulated[name], name))
  const isExplained = (line: string): boolean => Object.keys(explained).some((path) => line.startsWith(`${path}: `))
  const stale = Object.keys(explained).filter((path) => !found.some((line) => line.startsWith(`${path}: `)))
  return [...found.filter((line) => !isExplained(line)), ...stale.map((path) => `${path}: no longer differs`)]
}

/** As `unexplained`, without the keys that the simulator leaves out: it has those that k8s-win reads. */
export const contradictions = (...asked: Parameters<typeof unexplained>): string[] =>
  unexplained(...asked).filter((line) => !line.endsWith(', undefined'))

/** One line a question, so that a change is seen as what it is. */
export const writeShapes = (shapes: Shapes): string =>
  Object.entries(shapes)
    .map(([name, shape]) => `${name}\t${JSON.stringify(shape)}\n`)
    .join('')

export const readShapes = (text: string): Shapes =>
  Object.fromEntries(
    text
      .split('\n')
      .filter((line) => line !== '')
      .map((line) => line.split('\t'))
      .map(([name = '', shape = '']) => [name, JSON.parse(shape) as Shape]),
  )
