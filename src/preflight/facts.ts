// What the host and the cluster say, each asked once, however many checks want to know.
import {execProblem} from '../components/exec-versions.js'
import {kubeconfigOf} from '../components/identity.js'
import {layoutOf} from '../config/layout.js'
import type {Identity, SetupConfig} from '../config/model.js'
import {isNodeName} from '../config/parse-option.js'
import {clusterForbids} from '../errors/cluster.js'
import {nodeNameInvalid} from '../errors/host.js'
import type {Access, Cluster, ServerReport} from '../host/cluster/cluster.js'
import {kubeconfigAt} from '../host/cluster/kubeconfig-file.js'
import type {Kubeconfig} from '../host/cluster/kubeconfig.js'
import type {ClusterNode, DaemonSet} from '../host/cluster/objects.js'
import type {EngineInfo, EngineVersion} from '../host/docker/api.js'
import type {HnsVersion} from '../host/hns/objects.js'
import type {Host} from '../host/host.js'
import type {WindowsVersion} from '../host/os.js'
import type {Adapter} from '../machine/win32.js'
import {asKubelet} from '../pipeline/desired/kubelet-store.js'
import {keptName} from '../pipeline/desired/node-cluster.js'
import type {Journal} from '../pipeline/ledger/journal.js'
import {chooseInterface, type ChosenInterface} from './interface.js'

export class HostFacts {
  readonly #asked = new Map<string, Promise<unknown>>()

  constructor(
    readonly config: SetupConfig,
    readonly host: Host,
    readonly journal: Pick<Journal, 'all' | 'entries'>,
  ) {}

  adapters(): Promise<Adapter[]> {
    return this.#once('adapters', () => this.host.network.adapters())
  }

  /** The cluster as this daemon sees it; those who share a kubeconfig see the same. */
  async cluster(identity: Identity = 'kubelet'): Promise<Cluster> {
    const shown = await this.#shown(identity)
    return this.#once(`cluster ${keyOf(shown)}`, async () => this.host.cluster(shown))
  }

  /** The cluster's DNS address: given, or asked. */
  clusterDNS(): Promise<string | undefined> {
    const asked = async (): Promise<string | undefined> => (await this.cluster()).dnsAddress()
    return this.#once('dns', () =>
      this.config.clusterDNS === undefined ? asked() : Promise.resolve(this.config.clusterDNS),
    )
  }

  computerName(): Promise<string> {
    return this.#once('computer', () => this.host.os.computerName())
  }

  daemonSets(): Promise<readonly DaemonSet[]> {
    return this.#once('daemon sets', async () => (await this.cluster()).daemonSets())
  }

  docker(): Promise<EngineVersion> {
    return this.#once('docker', () => this.host.docker.version())
  }

  dockerInfo(): Promise<EngineInfo> {
    return this.#once('docker info', () => this.host.docker.info())
  }

  hnsVersion(): Promise<HnsVersion> {
    return this.#once('hns version', () => this.host.hns.version())
  }

  interface(): Promise<ChosenInterface> {
    return this.#once('interface', async () => chooseInterface(await this.adapters(), this.config))
  }

  /** The kubeconfig a daemon will use, read from where it is now. */
  kubeconfig(identity: Identity): Promise<Kubeconfig> {
    return this.#once(`kubeconfig ${identity}`, async () => {
      const own = this.config.identityFiles[identity]
      const path = own ?? this.config.kubeconfig ?? kubeconfigOf(this.config, identity)
      const flag = own === undefined ? 'kubeconfig' : `${identity}-kubeconfig`
      const kubeconfig = await kubeconfigAt(this.host, path, flag)
      const problem = execProblem(this.config, identity, kubeconfig)
      if (problem) throw problem
      return kubeconfig
    })
  }

  /** Does the kubelet have a certificate of its own that is valid, while its kubeconfig's is not? */
  async kubeletHasOwn(): Promise<boolean> {
    return (await this.#shown('kubelet')) !== (await this.kubeconfig('kubelet'))
  }

  /** Asked once of each identity, however many daemons share it. */
  async may(identity: Identity, access: Access): Promise<boolean> {
    const [cluster, shown] = await Promise.all([this.cluster(identity), this.#shown(identity)])
    return this.#once(`may ${JSON.stringify(access)} ${keyOf(shown)}`, () => cluster.may(access))
  }

  nodeName(): Promise<string> {
    return this.#once('name', async () => {
      if (this.config.nodeName !== undefined) return this.config.nodeName
      // A node keeps its name: the computer may be called otherwise by now. A check reports services that cannot be queried.
      const kept = await keptName(this.host).catch(() => undefined)
      if (kept !== undefined) return kept
      const computer = await this.computerName()
      const name = computer.toLowerCase()
      if (!isNodeName(name)) throw nodeNameInvalid({name: computer})
      return name
    })
  }

  /** This host's node, asked by its name, and the first of the others. */
  nodes(): Promise<readonly ClusterNode[]> {
    return this.#once('nodes', async () => {
      const [cluster, name] = await Promise.all([this.cluster(), this.nodeName()])
      const [some, own] = await Promise.all([cluster.nodes(), unlessForbidden(cluster.node(name))])
      return own && !some.some((node) => node.name === name) ? [own, ...some] : some
    })
  }

  /** The first question to the API server, on whose answer the others wait. */
  server(): Promise<ServerReport> {
    return this.#once('server', async () => (await this.cluster()).about())
  }

  version(): Promise<WindowsVersion | undefined> {
    return this.#once('version', () => this.host.os.version())
  }

  get layout(): ReturnType<typeof layoutOf> {
    return layoutOf(this.config.baseDir)
  }

  /** What the daemon shows the cluster. */
  async #shown(identity: Identity): Promise<Kubeconfig> {
    const kubeconfig = await this.kubeconfig(identity)
    if (identity !== 'kubelet') return kubeconfig
    return this.#once('as the kubelet', async () => asKubelet(this.host, kubeconfig, () => this.nodeName()))
  }

  #once<T>(key: string, ask: () => Promise<T>): Promise<T> {
    const asked = this.#asked.get(key) ?? ask()
    this.#asked.set(key, asked)
    return asked as Promise<T>
  }
}

/** Daemons that share it are one to the cluster, unless the kubelet shows its own certificate. */
const keyOf = ({certificate = '', key}: Kubeconfig): string => `${certificate}${key}`

/** Undefined where the API server forbids it. */
export async function unlessForbidden<T>(asked: Promise<T>): Promise<T | undefined> {
  try {
    return await asked
  } catch (error) {
    if (clusterForbids.is(error)) return undefined
    throw error
  }
}
