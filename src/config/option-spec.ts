// What is known of an option of `setup`. Flags, environment variables, the configuration file, its schema and the help
// are made from this.

export interface OptionSpec {
  /** What is used where nobody says anything and there is no default: in words. */
  readonly absent?: string
  /** Shown in help; undefined where the value comes from the host or the cluster. */
  readonly default?: string
  readonly flag: string
  /** Heading in the help of all flags (--help-all). A common option has none, and is on the first page of help. */
  readonly group?: 'CLUSTER' | 'IMAGES' | 'NODE' | 'RUN' | 'VERSIONS'
  /** Key of the configuration file; a dot goes one level down. Undefined where it makes sense for one run only. */
  readonly key?: string
  /** `list`: repeatable. `names`: repeatable or with commas. `pairs`: repeatable name=value, in the file a mapping too. */
  readonly kind: 'list' | 'names' | 'pairs' | 'switch' | 'text'
  /** A file of the user's; in the configuration file a relative one is meant from there. */
  readonly path?: true
  /**
   * What setup keeps in node.yaml: what was given (the default); `always`, also a default, so that a newer k8s-win does
   * not change a node by itself; `copy`, the place in the base directory it was copied to; `never`.
   */
  readonly stored?: 'always' | 'copy' | 'never'
  readonly summary: string
  /** What stands for the value in help. A switch has none. */
  readonly value?: string
}

type Spec<Flag extends string> = OptionSpec & {readonly flag: Flag}
type Rest = Omit<OptionSpec, 'flag' | 'kind' | 'summary' | 'value'>

const valued =
  (kind: OptionSpec['kind']) =>
  <const Flag extends string>(flag: Flag, value: string, summary: string, rest: Rest = {}): Spec<Flag> => ({
    ...rest,
    flag,
    kind,
    summary,
    value,
  })

export const [list, names, pairs, text] = [valued('list'), valued('names'), valued('pairs'), valued('text')] as const

/** Off by default, unless it is said what it is where nobody says anything. */
export const toggle = <const Flag extends string>(flag: Flag, summary: string, rest: Rest = {}): Spec<Flag> => ({
  ...(rest.absent === undefined && {default: 'false'}),
  ...rest,
  flag,
  kind: 'switch',
  summary,
})
