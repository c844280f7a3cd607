// What an option is, and a builder for each kind.

export interface OptionSpec {
  /** What is used without a value and a default, in words. */
  readonly absent?: string
  /** Shown in help; undefined where the value comes from the host or the cluster. */
  readonly default?: string
  readonly flag: string
  /**
   * Heading in the help of all flags (--help-all). A common option has none, and is on the first page of help with its first
   * sentence.
   */
  readonly group?: 'CLUSTER' | 'IMAGES' | 'NODE' | 'RUN' | 'UNATTENDED' | 'VERSIONS'
  /** Key of the configuration file; a dot goes one level down. Undefined where it makes sense for one run only. */
  readonly key?: string
  /**
   * `list`: repeatable. `names`: repeatable or with commas. `pairs`: repeatable name=value, in the file a mapping too.
   * `arguments`: as pairs, but a value may have commas. `fields`: a mapping, as JSON; it has no flag.
   */
  readonly kind: 'arguments' | 'fields' | 'list' | 'names' | 'pairs' | 'switch' | 'text'
  /** A file of the user's; in the configuration file a relative one is meant from there. */
  readonly path?: true
  /**
   * What setup keeps in node.yaml: what was given (the default); `always`, also a default, so that a newer k8s-win does
   * not change a node by itself; `copy`, the place in the base directory it was copied to; `never`.
   */
  readonly stored?: 'always' | 'copy' | 'never'
  readonly summary: string
  /** No check depends on it, so that doctor does not have it. */
  readonly unchecked?: true
  /** Only on the command line: no variable sets it. */
  readonly typed?: true
  /** What stands for the value in help. A switch has none. */
  readonly value?: string
}

export type Spec<Flag extends string> = OptionSpec & {readonly flag: Flag}
type Rest = Omit<OptionSpec, 'flag' | 'kind' | 'summary' | 'value'>

export const valued =
  (kind: OptionSpec['kind']) =>
  <const Flag extends string>(flag: Flag, value: string, summary: string, rest: Rest = {}): Spec<Flag> => ({
    ...(rest.default === undefined && {absent: 'none'}),
    ...rest,
    flag,
    kind,
    summary,
    value,
  })

export const [list, names, pairs, text] = [valued('list'), valued('names'), valued('pairs'), valued('text')] as const

/** Off by default, unless `absent` says otherwise. */
export const toggle = <const Flag extends string>(flag: Flag, summary: string, rest: Rest = {}): Spec<Flag> => ({
  ...(rest.absent === undefined && {default: 'false'}),
  ...rest,
  flag,
  kind: 'switch',
  summary,
})
