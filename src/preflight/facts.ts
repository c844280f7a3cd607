// What the host and the cluster report, each queried once, however many checks need it.
import {openBootstrap} from '../components/bootstrap-kubeconfig.js'
import {execProblem} from '../components/releases/exec-versions.js'
import {kubeconfigOf} from '../components/identity.js'
import {layoutOf} from '../config/layout.js'
import type {Decided, Identity} from '../config/model.js'
import {clusterForbids} from '../errors/cluster.js'
import type {Access, Cluster} from '../host/cluster/cluster.js'
import {isBootstrapToken} from '../host/cluster/credential-validity.js'
import {kubeconfigAt} from '../host/cluster/kubeconfig-file.js'
import type {Kubeconfig} from '../host/cluster/kubeconfig.js'
import type {ClusterNode, NodeMetadata} from '../host/cluster/objects.js'
import type {Host} from '../host/host.js'
import {asKubelet} from '../pipeline/desired/cluster/kubelet-store.js'
import {keptAddress, nodeNameOf} from '../pipeline/desired/cluster/node-cluster.js'
import type {Journal} from '../pipeline/ledger/journal.js'
import {chooseInterface} from './interface.js'
import {plannedWrites} from './planned-writes.js'

function once<T>(query: () => Promise<T>): () => Promise<T> {
  let result: Promise<T> | undefined
  return () => (result ??= query())
}

/**
 * Whose permissions are reviewed, with a request for each: of all identities, of those that are not a node's, or none, because
 * this run has done it. Where the cluster forbids what the checks ask anyway, all are: then it is worth to know why.
 */
export type Reviews = 'all' | 'none' | 'others'

export interface FactsOptions {
  /** The journal has lost records of some steps. */
  readonly isJournalIncomplete?: boolean
  /** How often its usual deadline each check may take; once if not given. */
  readonly patience?: number
  readonly reviews?: Reviews
  /** Aborted on Ctrl-C, and at the deadline of a check that has facts of its own. */
  readonly signal?: AbortSignal
}

/** With the configuration as far as it is known: `Decided` before a node exists, `Node` afterwards. */
export class Facts<Config extends Decided = Decided> {
  readonly adapters = once(() => this.host.network.adapters())
  /** The cluster's DNS address: --cluster-dns, or the address that the cluster reports. */
  readonly clusterDNS = once(async () => this.config.clusterDNS ?? (await this.cluster()).dnsAddress())
  readonly computerName = once(() => this.host.os.computerName())
  readonly daemonSets = once(async () => (await this.cluster()).daemonSets())
  readonly docker = once(() => this.host.docker.version())
  readonly dockerInfo = once(() => this.host.docker.info())
  readonly hnsVersion = once(() => this.host.hns.version())
  readonly interface = once(async () =>
    chooseInterface(await this.adapters(), this.config, await keptAddress(this.host)),
  )
  /** The first request to the API server, which the other checks of the cluster await. */
  readonly server = once(async () => (await this.cluster()).about())
  readonly plannedWrites = once(() => plannedWrites(this))
  readonly presentContainerd = once(() => this.host.presentContainerd())
  readonly version = once(() => this.host.os.version())

  readonly nodeName = once(() => nodeNameOf(this.host, this.config))

  readonly ownNode = once(async () => (await this.cluster()).node(await this.nodeName()))

  /** The node of this host by its name, and the first of the other nodes: as whole objects only where metadata do not suffice. */
  readonly nodes = once(async (): Promise<readonly ClusterNode[]> => this.#withOwn((await this.cluster()).nodes()))
  readonly nodeMetadata = once(async (): Promise<readonly NodeMetadata[]> =>
    this.#withOwn((await this.cluster()).nodeMetadata()),
  )

  readonly #queried = new Map<string, Promise<unknown>>()

  constructor(
    readonly config: Config,
    readonly host: Host,
    readonly journal: Pick<Journal, 'all' | 'entries'>,
    readonly options: FactsOptions = {},
  ) {}

  get signal(): AbortSignal {
    return this.options.signal ?? new AbortController().signal
  }

  get layout(): ReturnType<typeof layoutOf> {
    return layoutOf(this.config.baseDir)
  }

  /** The cluster as this daemon sees it; daemons that share a kubeconfig see the same. */
  async cluster(identity: Identity = 'kubelet'): Promise<Cluster> {
    const shown = await this.#shown(identity)
    return this.#oncePer(`cluster ${keyOf(shown)}`, async () => {
      const cluster = this.host.cluster(shown)
      return isBootstrapToken(shown) ? {...cluster, ...BEYOND_TOKENS} : cluster
    })
  }

  /** The kubeconfig that a daemon will use, read from where it is now. */
  kubeconfig(identity: Identity): Promise<Kubeconfig> {
    return this.#oncePer(`kubeconfig ${identity}`, async () => {
      const own = this.config.identityFiles[identity]
      const {bootstrap, joinProblem} = this.config
      if (own === undefined && joinProblem) throw joinProblem
      if (own === undefined && bootstrap) return openBootstrap(bootstrap)
      const path = own ?? this.config.kubeconfig ?? kubeconfigOf(this.config, identity)
      const flag = own === undefined ? 'kubeconfig' : `${identity}-kubeconfig`
      const kubeconfig = await kubeconfigAt(this.host, path, flag)
      const problem = execProblem(this.config, identity, kubeconfig)
      if (problem) throw problem
      return kubeconfig
    })
  }

  /** Whether the kubelet has a valid certificate of its own, while that of its kubeconfig is not valid. */
  async kubeletHasOwn(): Promise<boolean> {
    return (await this.#shown('kubelet')) !== (await this.kubeconfig('kubelet'))
  }

  /** Queried once per identity, however many daemons share it. */
  async may(identity: Identity, access: Access): Promise<boolean> {
    const [cluster, shown] = await Promise.all([this.cluster(identity), this.#shown(identity)])
    return this.#oncePer(`may ${JSON.stringify(access)} ${keyOf(shown)}`, () => cluster.may(access))
  }

  /** The credentials that the daemon presents to the cluster. */
  async #shown(identity: Identity): Promise<Kubeconfig> {
    const kubeconfig = await this.kubeconfig(identity)
    if (identity !== 'kubelet') return kubeconfig
    return this.#oncePer('as the kubelet', async () => asKubelet(this.host, kubeconfig, () => this.nodeName()))
  }

  async #withOwn<Read extends NodeMetadata>(
    listed: Promise<readonly Read[]>,
  ): Promise<readonly (ClusterNode | Read)[]> {
    const [some, own] = await Promise.all([listed, unlessForbidden(this.ownNode())])
    return own && !some.some(({name}) => name === own.name) ? [own, ...some] : some
  }

  #oncePer<T>(key: string, query: () => Promise<T>): Promise<T> {
    const queried = this.#queried.get(key) ?? query()
    this.#queried.set(key, queried)
    return queried as Promise<T>
  }
}

/** What kubeadm grants no token is not asked for: the last check of setup asks as the node. */
const beyondToken = (): Promise<never> =>
  Promise.reject(clusterForbids({request: 'it to a bootstrap token', said: 'nothing, because it was not asked'}))
const BEYOND_TOKENS = {daemonSets: beyondToken, nodes: beyondToken, serviceAddress: beyondToken}

/** Daemons that share a kubeconfig are the same to the cluster, unless the kubelet presents its own certificate. */
const keyOf = ({certificate = '', key}: Kubeconfig): string => `${certificate}${key}`

/** Undefined if the API server forbids it. */
export async function unlessForbidden<T>(request: Promise<T>): Promise<T | undefined> {
  try {
    return await request
  } catch (error) {
    if (clusterForbids.is(error)) return undefined
    throw error
  }
}
