// What the host and the cluster say, each asked once, however many checks want to know.
import {kubeconfigOf} from '../components/identity.js'
import {layoutOf} from '../config/layout.js'
import type {Identity, SetupConfig} from '../config/model.js'
import {isNodeName} from '../config/parse-option.js'
import {kubeconfigMissing, kubeconfigUnreadable} from '../errors/cluster.js'
import {nodeNameInvalid} from '../errors/host.js'
import {K8sWinError} from '../errors/k8s-win-error.js'
import type {Cluster} from '../host/cluster.js'
import type {EngineVersion} from '../host/docker-api.js'
import type {Host} from '../host/host.js'
import {type Kubeconfig, readKubeconfig} from '../host/kubeconfig.js'
import type {WindowsVersion} from '../host/os.js'
import {readUserFile} from '../host/user-file.js'
import type {Adapter} from '../machine/win32.js'
import type {Journal} from '../pipeline/journal.js'
import {type ChosenInterface, chooseInterface} from './interface.js'

export class HostFacts {
  readonly #asked = new Map<string, Promise<unknown>>()

  constructor(
    readonly config: SetupConfig,
    readonly host: Host,
    readonly journal: Pick<Journal, 'entries'>,
  ) {}

  adapters(): Promise<Adapter[]> {
    return this.#once('adapters', () => this.host.network.adapters())
  }

  cluster(): Promise<Cluster> {
    return this.#once('cluster', async () => this.host.cluster(await this.kubeconfig('kubelet')))
  }

  /** The cluster's DNS address: given, or asked. */
  clusterDNS(): Promise<string | undefined> {
    const asked = async (): Promise<string | undefined> => (await this.cluster()).dnsAddress()
    return this.#once('dns', () =>
      this.config.clusterDNS === undefined ? asked() : Promise.resolve(this.config.clusterDNS),
    )
  }

  docker(): Promise<EngineVersion> {
    return this.#once('docker', () => this.host.docker.version())
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
      const read = (file: string): Promise<Buffer | undefined> => readUserFile(this.host.files, file)
      try {
        const content = await read(path)
        if (!content) throw kubeconfigMissing({flag, path})
        return await readKubeconfig(path, content, read)
      } catch (error) {
        if (error instanceof K8sWinError) throw error
        throw kubeconfigUnreadable({path, reason: error instanceof Error ? error.message : String(error)})
      }
    })
  }

  nodeName(): Promise<string> {
    return this.#once('name', async () => {
      if (this.config.nodeName !== undefined) return this.config.nodeName
      const computer = await this.host.os.computerName()
      const name = computer.toLowerCase()
      if (!isNodeName(name)) throw nodeNameInvalid({name: computer})
      return name
    })
  }

  version(): Promise<WindowsVersion | undefined> {
    return this.#once('version', () => this.host.os.version())
  }

  get layout(): ReturnType<typeof layoutOf> {
    return layoutOf(this.config.baseDir)
  }

  #once<T>(key: string, ask: () => Promise<T>): Promise<T> {
    const asked = this.#asked.get(key) ?? ask()
    this.#asked.set(key, asked)
    return asked as Promise<T>
  }
}
