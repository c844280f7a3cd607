// The credential provider of the kubelet: programs of the user's, which it runs as SYSTEM for the credentials of an image.
import {credentialProviderUnusable} from '../../errors/host.js'
import {K8sWinError, ProblemsError} from '../../errors/k8s-win-error.js'
import type {Host} from '../../host/host.js'
import {demandTrees} from '../../host/security/planted.js'
import {check, type Check, pass} from '../check.js'

const BIN_DIR = 'image-credential-provider-bin-dir'
const CONFIG = 'image-credential-provider-config'

interface Paths {
  readonly binDir: string
  /** A file; from 1.35 on also a folder of files. */
  readonly config: string
}

/** Undefined where the kubelet is to have none; '' for one that is not given, which it needs too (plugin.go). */
export function credentialProviderPaths(args: Readonly<Record<string, string>>): Paths | undefined {
  const {[BIN_DIR]: binDir = '', [CONFIG]: config = ''} = args
  return binDir === '' && config === '' ? undefined : {binDir, config}
}

/** Judged down to the last file: a provider may start programs and load libraries beside it. */
async function demandPath(host: Host, flag: string, path: string, kinds: readonly string[]): Promise<void> {
  const unusable = (reason: string): K8sWinError => credentialProviderUnusable({flag, path, reason})
  if (path === '') throw unusable(`The kubelet needs both --${BIN_DIR} and --${CONFIG}.`)
  if (!/^[a-z]:[/\\]/i.test(path))
    throw unusable('It must be an absolute path on a local drive: the working directory of a service is System32.')
  await host.trust.demand(path)
  const {kind = ''} = (await host.files.status(path)) ?? {}
  if (!kinds.includes(kind)) throw unusable(kind === '' ? 'It does not exist.' : 'It is not a folder.')
  if (kind === 'directory') await demandTrees(host, [path], 'closed')
}

const credentialProvider = check(
  'credential-provider',
  {needs: ['administrator'], on: 'host', title: 'Credential provider'},
  async ({config: {args}, host}) => {
    const paths = credentialProviderPaths(args.kubelet)
    if (!paths) return pass('none')
    const judged = await Promise.allSettled([
      demandPath(host, BIN_DIR, paths.binDir, ['directory']),
      demandPath(host, CONFIG, paths.config, ['directory', 'file']),
    ])
    const failures = judged.flatMap((one) => (one.status === 'rejected' ? [one.reason as unknown] : []))
    const known = failures.filter((one) => one instanceof K8sWinError)
    if (known.length > 1) throw new ProblemsError(known)
    if (failures.length > 0) throw failures[0] as Error
    return pass(`only administrators can change ${paths.binDir} and ${paths.config}`)
  },
)

export const CREDENTIAL_CHECKS: readonly Check[] = [credentialProvider]
