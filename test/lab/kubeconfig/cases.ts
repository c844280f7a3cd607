// What a kubeconfig of this suite looks like, and what kubectl and we are expected to make of it.

export type Verdict =
  /** Both read the same out of it, and where it is asked, the cluster sees the same identity. */
  | 'agree'
  /** kubectl shows it but cannot ask the cluster with it; we refuse it at once. */
  | 'kubectl shows it only'
  /** Neither takes it. */
  | 'refused'
  /** An explained difference: kubectl takes it and we do not. */
  | 'we refuse'

export interface KubeconfigCase {
  /** What stands in our copy in place of a plugin's path, which kubectl leaves relative. */
  readonly commandOfFile?: string
  readonly content: Buffer | string
  readonly name: string
  /** Why the cluster is not asked with it; otherwise both do, and it sees who. */
  readonly notAsked?: string
  /** What stands in our copy in place of the token file, which kubectl leaves a file. */
  readonly tokenOfFile?: string
  readonly verdict: Verdict
  /** The reason of an explained difference. */
  readonly why?: string
}
