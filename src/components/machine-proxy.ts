// The proxy of the machine, for the services of the daemons. The service manager passes on the variables of the last start of
// Windows, so a proxy, or an exception from it, that was set since then would reach none of them before the next one: setup
// and its checks would go another way to the API server than the kubelet, kube-proxy and flanneld, whose client-go takes the
// proxy of their environment (client-go transport/cache.go, http.ProxyFromEnvironment).
import type {Node} from '../config/model.js'
import type {ServiceSpec} from '../host/services/services.js'
import {parseProxy} from '../machine/proxy.js'

/** As Go reads them. */
export const PROXY_VARIABLES = ['HTTP_PROXY', 'HTTPS_PROXY', 'NO_PROXY'] as const
export type ProxyVariables = Node['proxy']

/** Every user of the host can read a service's environment in the registry: a proxy with a password is not put there. */
export const isPublicProxy = ([name, value]: readonly [name: string, value: string]): boolean =>
  name === 'NO_PROXY' || parseProxy(value).secrets.length === 0

/** Where those of the machine are not known, each service keeps its own. */
export const proxiesOf = ({proxy}: Pick<Node, 'proxy'>): ServiceSpec['environment'] =>
  proxy
    ? Object.fromEntries(Object.entries(proxy).filter(isPublicProxy))
    : Object.fromEntries(PROXY_VARIABLES.map((name) => [name, undefined]))
