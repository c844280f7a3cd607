// One definition per error: its ID, exit code and texts. The page of the catalogue is made from these.
import {type ErrorText, K8sWinError} from './k8s-win-error.js'
import {quoted} from './shortened.js'

/** Parameters that repeat what a user typed: without a password, and shorter than what others say. */
const TYPED = new Set(['argument', 'command', 'endpoint', 'flag', 'given', 'one', 'other', 'release', 'value', 'where'])
const LONGEST_TYPED = 200
/**
 * A name and a password before a host, where nothing else shows that it is one: `user:password@registry.example.com`, but not
 * a client ID before a vault.
 */
const CREDENTIALS = /^(?!azure-kv:[\w-]+@[\w-]+\/[\w-]+(?:#|$))([a-z][a-z0-9+.-]*:\/\/)?[^\s/@:]*:[^\s/]*@/i

/** How a text takes a parameter: `{name}`, or in a command to paste `{name:word}` or `{name:path}`. */
const PARAMETER = /\{(\w+)(?::(word|path))?\}/g

/** Through a proxy: a text reads only the parameters that it has. */
const cut = <P extends object>(parameters: P): P =>
  new Proxy(parameters, {
    get(all, name) {
      const text = Reflect.get(all, name) as string | undefined
      if (text === undefined) return undefined
      if (!TYPED.has(String(name))) return quoted(text)
      return quoted(text.replace(CREDENTIALS, '$1***@'), LONGEST_TYPED)
    },
  })

/** A function only where the text depends on the value of a parameter. */
type Text = string | ((parameters: never) => string)

interface Texts {
  readonly cause: Text
  readonly fix: Text
  readonly message: Text
  readonly wanted?: Text
}

/** A text whose type is only `string` (String.raw) would hide its parameters: it asks every call for the impossible. */
type NamesIn<T> = string extends T
  ? 'a text must be a literal'
  : T extends `${string}{${infer Name}}${infer Rest}`
    ? (Name extends `${infer Bare}:${string}` ? Bare : Name) | NamesIn<Rest>
    : never

/** What the functions among the texts read; an intersection, since a caller gives it all. */
type ReadBy<T> = (T extends (parameters: infer P) => string ? (all: P) => void : never) extends (all: infer All) => void
  ? All
  : never

type ParametersOf<T extends Texts> = Record<NamesIn<T[keyof T]>, string> & ReadBy<T[keyof T]>

export interface ErrorDefinition<P> {
  (parameters: P, options?: ErrorOptions): K8sWinError
  /** The texts with `<name>` in place of each parameter. */
  describe(): ErrorText
  readonly exitCode: number
  readonly id: string
  is(error: unknown): boolean
  readonly isTransient: boolean
}

/** An error that needs a person: a wrong value, a host or cluster that does not qualify, bytes that are not the published ones. */
export const defineError = <const T extends Texts>(id: string, exitCode: number, texts: T) =>
  definition(id, exitCode, texts, false)

/**
 * An error that time may cure, so that a launcher may be asked to run the same command again: the network, the cluster or
 * a service is not ready yet (launchers run early after a start of Windows), a mirror or registry fails, a file is in use,
 * something is not healthy in time. A denied request and an upgrade that was rolled back need a decision.
 */
export const defineTransientError = <const T extends Texts>(id: string, exitCode: number, texts: T) =>
  definition(id, exitCode, texts, true)

function definition<const T extends Texts>(
  id: string,
  exitCode: number,
  texts: T,
  isTransient: boolean,
): ErrorDefinition<ParametersOf<T>> {
  const render = (parameters: Record<string, string>): ErrorText => {
    const value = (_: string, name: string, form?: string): string => {
      const text = parameters[name] as string
      if (form === 'word') return pasted(text)
      return form === 'path' ? pastedPath(text) : text
    }
    // Words of others often end in a full stop, and so do the texts here.
    const fill = (text: Text): string => {
      const filled = typeof text === 'string' ? text.replaceAll(PARAMETER, value) : text(parameters as never)
      // Most texts have none, and watch judges a node with dozens of them at each check.
      return filled.includes('..') ? filled.replaceAll(/(?<=[^\s./\\])\.\.(?=\s|$)/g, '.') : filled
    }
    const wanted = texts.wanted === undefined ? {} : {wanted: fill(texts.wanted)}
    return {cause: fill(texts.cause), exitCode, fix: fill(texts.fix), message: fill(texts.message), ...wanted}
  }

  const placeholders = new Proxy<Record<string, string>>({}, {get: (_, name) => `<${String(name)}>`})
  const build = (parameters: Record<string, string>, options?: ErrorOptions): K8sWinError =>
    new K8sWinError(id, render(cut(parameters)), options)
  const is = (error: unknown): boolean => error instanceof K8sWinError && error.id === id
  return Object.assign(build, {describe: () => render(placeholders), exitCode, id, is, isTransient})
}

/**
 * Names in commands that a message offers to paste into an elevated console. A user chooses the names of folders, a
 * cluster those of its objects, and PowerShell runs $(…) inside quotes too: a name with a letter that a console could act
 * on is left out. What is in angle brackets has to be filled in, and is no `command` for programs (commandIn).
 *
 * This is a name as one word of a command. A leading dash or slash would be a flag, and PowerShell acts on a leading @.
 */
export const pasted = (name: string): string => (/^(?:(?![@/-])[\w.\\:@/-]+|<\w+>)$/.test(name) ? name : '<name>')

/** A path in quotes, as blanks need them. */
export const pastedPath = (path: string): string => `"${/^(?:[\w.\\: -]+|<\w+>)$/.test(path) ? path : '<path>'}"`
