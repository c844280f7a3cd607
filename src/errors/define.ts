// One definition an error: its ID, exit code and texts. The catalogue's page is made from these.
import {type ErrorText, K8sWinError} from './k8s-win-error.js'

/** Parameters that repeat what a user typed. They are cut in messages: a log should not keep an argument of 100 KB. */
const TYPED = new Set(['argument', 'command', 'endpoint', 'flag', 'given', 'one', 'other', 'release', 'value', 'where'])
const LONGEST_TYPED = 200
/** A word of any text; longer than a path of Windows (260) and every digest. */
const LONG_WORD = /(\S{300})\S+/g

/** Through a proxy: a text reads only the parameters that it has. */
const cut = <P extends Record<string, string>>(parameters: P): P =>
  new Proxy(parameters, {
    get(all, name) {
      const text = Reflect.get(all, name) as string
      return TYPED.has(String(name)) && text.length > LONGEST_TYPED ? `${text.slice(0, LONGEST_TYPED)}…` : text
    },
  })

type Text<P> = string | ((parameters: P) => string)

export interface ErrorDefinition<P> {
  (parameters: P, options?: ErrorOptions): K8sWinError
  /** The texts with `<name>` in place of each parameter. */
  describe(): ErrorText
  readonly exitCode: number
  readonly id: string
  is(error: unknown): boolean
}

export function defineError<P extends Record<string, string>>(
  id: string,
  exitCode: number,
  texts: {readonly cause: Text<P>; readonly fix: Text<P>; readonly message: Text<P>; readonly wanted?: Text<P>},
): ErrorDefinition<P> {
  const render = (parameters: P): ErrorText => {
    // Words of others often end in a full stop, and so do the texts here.
    const fill = (text: Text<P>): string =>
      (typeof text === 'string' ? text : text(parameters))
        .replaceAll(/(?<=[^\s./\\])\.\.(?=\s|$)/g, '.')
        .replaceAll(LONG_WORD, '$1…')
    const wanted = texts.wanted === undefined ? {} : {wanted: fill(texts.wanted)}
    return {cause: fill(texts.cause), exitCode, fix: fill(texts.fix), message: fill(texts.message), ...wanted}
  }

  const placeholders = new Proxy({} as P, {get: (_, name) => `<${String(name)}>`})
  const build = (parameters: P, options?: ErrorOptions): K8sWinError =>
    new K8sWinError(id, render(cut(parameters)), options)
  const is = (error: unknown): boolean => error instanceof K8sWinError && error.id === id
  return Object.assign(build, {describe: () => render(placeholders), exitCode, id, is})
}
