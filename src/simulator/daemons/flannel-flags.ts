// The flags of flanneld.exe (main.go of 0.11 to 0.28): Go's standard package, each also as FLANNELD_<NAME> in the environment.
import type {DaemonProcess} from './daemon.js'
import type {ParsedFlags} from './flags.js'
import {flagSet, parseGoFlags} from './flags.js'

/** Of klog's flags only these three are copied (main.go, copyFlag). */
const FLAGS = flagSet({
  bool: 'help ip-blackhole-route ip-masq iptables-forward-rules kube-subnet-mgr set-node-network-unavailable version',
  int: 'healthz-port iptables-resync subnet-lease-renew-margin v',
  string: `etcd-cafile etcd-certfile etcd-endpoints etcd-keyfile etcd-password etcd-prefix etcd-username healthz-ip iface
    iface-can-reach iface-regex kube-annotation-prefix kube-api-url kubeconfig-file log-backtrace-at net-config-path
    public-ip public-ipv6 subnet-file vmodule`,
})

export function parseFlannelFlags({args, env, program}: DaemonProcess): ParsedFlags {
  const parsed = parseGoFlags(args, FLAGS)
  if (parsed.error !== undefined) return {error: `${parsed.error}\nUsage: ${program} [OPTION]...`}
  const flags = new Map(parsed.flags)
  for (const name of FLAGS.keys()) {
    const value = env(`FLANNELD_${name.toUpperCase().replaceAll('-', '_')}`)
    if (value && !flags.has(name)) flags.set(name, value)
  }

  return {flags, rest: parsed.rest}
}
