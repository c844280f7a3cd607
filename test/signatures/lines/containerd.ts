// Lines of containerd, in shawl's log and by themselves; and of kubelets and crictl about it.
import {commandFailed, errorS, klog, logrus, sandbox, shawl} from '../log-lines.js'
import {line, type SignatureLine} from './line.js'

/** A line of containerd with fields after its message. */
const logged = (
  level: 'error' | 'fatal' | 'info' | 'warning',
  message: string,
  fields: Readonly<Record<string, string>>,
): string =>
  shawl(
    [
      `time="2026-11-15T02:41:07.123456789Z" level=${level} msg=${JSON.stringify(message)}`,
      ...Object.entries(fields).map(([key, value]) => `${key}=${JSON.stringify(value)}`),
    ].join(' '),
  )
const PIPE = 'npipe:////./pipe/containerd-containerd'
const unavailable = (reason: string): string =>
  `validate service connection: validate CRI v1 runtime API for endpoint "${PIPE}": rpc error: code = Unavailable desc = connection error: desc = "transport: Error while dialing: ${reason}"`
const REQUEST =
  'failed to pull and unpack image "mcr.microsoft.com/a:1": failed to resolve reference "mcr.microsoft.com/a:1": failed to do request: Head "https://mcr.microsoft.com/v2/a/manifests/1": '
const TOKEN =
  'failed to pull and unpack image "docker.io/library/a:1": failed to resolve reference "docker.io/library/a:1": failed to authorize: failed to fetch anonymous token: Get "https://auth.docker.io/token?scope=repository%3Alibrary%2Fa%3Apull&service=registry.docker.io": '
const pull = (reason: string): string =>
  errorS('log.go:32', 'PullImage from image service failed', `rpc error: code = Unknown desc = ${reason}`)

export const CONTAINERD_LINES: readonly SignatureLine[] = [
  // plugins/cri/images/plugin.go: a plugin of its own since 2.0.
  line(
    'containerd',
    'containerd-plugin-rejected',
    'containerd 2.3.4',
    logged('warning', 'failed to load plugin', {
      error: 'invalid cri image config: `mirrors` cannot be set when `config_path` is provided',
      id: 'io.containerd.cri.v1.images',
      type: 'io.containerd.cri.v1',
    }),
    logged('info', 'skip loading plugin', {
      error: 'no plugins registered for io.containerd.cri.v1: plugin: not found',
      id: 'io.containerd.grpc.v1.cri',
    }),
  ),
  line(
    'containerd',
    'containerd-plugin-rejected',
    'containerd 1.7.25',
    logged('warning', 'failed to load plugin io.containerd.grpc.v1.cri', {
      error: 'invalid plugin config: `mirrors` cannot be set when `config_path` is provided',
    }),
    logged('warning', 'failed to load plugin io.containerd.grpc.v1.cri', {error: 'no such file'}),
  ),
  line(
    'kubelet',
    'cri-not-served',
    'kubelet 1.36.4',
    commandFailed(
      `failed to run Kubelet: validate service connection: validate CRI v1 runtime API for endpoint "${PIPE}": rpc error: code = Unimplemented desc = unknown service runtime.v1.RuntimeService`,
    ),
    klog('I', 'remote_runtime.go:171', '"Validated CRI v1 runtime API"'),
  ),
  line(
    'containerd',
    'cni-conflist-missing',
    'containerd 2.3.4',
    'Network plugin returns error: cni plugin not initialized',
    'Network plugin returns error: plugin status check failed',
  ),
  line(
    'kubelet',
    'cni-conflist-missing',
    'kubelet 1.36.4',
    klog(
      'E',
      'kubelet.go:2848',
      '"Container runtime network not ready" networkReady="NetworkReady=false reason:NetworkPluginNotReady message:Network plugin returns error: cni plugin not initialized"',
    ),
    klog('E', 'kubelet.go:2848', '"Container runtime network not ready" networkReady="NetworkReady=false"'),
  ),
  line(
    'containerd',
    'cni-folder-removed',
    'containerd 2.3.4',
    logged('fatal', 'Failed to run CRI service', {
      error: 'cni network conf monitor error: cni conf dir is removed, stop watching',
    }),
    logged('fatal', 'Failed to run CRI service', {error: 'stream server error: http: Server closed'}),
  ),
  line(
    'kubelet',
    'containerd-not-running',
    'kubelet 1.36.4',
    klog(
      'E',
      'run.go:72',
      `"command failed" err=${JSON.stringify(`failed to run Kubelet: ${unavailable('open //./pipe/containerd-containerd: Das System kann die angegebene Datei nicht finden.')}`)}`,
    ),
    unavailable('open //./pipe/cri-dockerd: The system cannot find the file specified.'),
  ),
  line(
    'kubelet',
    'containerd-not-running',
    'kubelet 1.24.17',
    klog(
      'E',
      'run.go:74',
      `"command failed" err="failed to run Kubelet: unable to determine runtime API version: rpc error: code = Unavailable desc = connection error: desc = \\"transport: Error while dialing open //./pipe/containerd-containerd: The system cannot find the file specified.\\""`,
    ),
    'transport: Error while dialing open //./pipe/docker_engine: The system cannot find the file specified.',
  ),
  line(
    'containerd',
    'cri-not-served',
    'crictl 1.36.0',
    `containerd said: validate service connection: validate CRI v1 runtime API for endpoint "${PIPE}": rpc error: code = Unimplemented desc = unknown service runtime.v1.RuntimeService`,
    'rpc error: code = Unimplemented desc = unknown method RuntimeConfig for service runtime.v1.RuntimeService',
  ),
  line(
    'kubelet',
    'cri-not-served',
    'kubelet 1.26.15',
    klog(
      'E',
      'run.go:74',
      `"command failed" err="failed to run Kubelet: validate service connection: CRI v1 runtime API is not implemented for endpoint \\"${PIPE}\\": rpc error"`,
    ),
    'CRI v1 runtime API for endpoint is used',
  ),
  line(
    'kubelet',
    'cri-not-served',
    'kubelet 1.24.17',
    klog(
      'E',
      'run.go:74',
      '"command failed" err="failed to run Kubelet: get remote runtime typed version failed: rpc error: code = Unimplemented desc = unknown service runtime.v1alpha2.RuntimeService"',
    ),
    'rpc error: code = Unimplemented desc = unknown service runtime.v2.RuntimeService',
  ),
  line(
    'containerd',
    'containerd-plugin-rejected',
    'containerd 2.3.4',
    logged('warning', 'failed to load plugin', {
      error: 'invalid plugin config: `cni.bin_dirs` is not supported with `cni.bin_dir`',
      id: 'io.containerd.cri.v1.runtime',
    }),
    logged('warning', 'failed to load plugin', {error: 'no such device', id: 'io.containerd.snapshotter.v1.cimfs'}),
  ),
  line(
    'containerd',
    'containerd-config-unreadable',
    'containerd 2.3.4',
    shawl(
      String.raw`containerd: failed to load TOML from C:\k\containerd\config.toml: expected containerd config version equal to or less than ` +
        '`3`, got `4`',
    ),
    'containerd: failed to create the folder of its state',
  ),
  line(
    'containerd',
    'containerd-pipe-taken',
    'containerd 2.3.4',
    shawl(
      String.raw`containerd: failed to get listener for main endpoint: open \\.\pipe\containerd-containerd: Access is denied.`,
    ),
    shawl('containerd: failed to get listener for debug endpoint: Access is denied.'),
  ),
  line(
    'containerd',
    'pull-without-progress',
    'containerd 2.3.4',
    logged(
      'error',
      'cancel pulling image mcr.microsoft.com/windows/servercore:ltsc2022 because of no progress in 30m0s',
      {},
    ),
    logged('error', 'cancel pulling image because the client went away', {}),
  ),
  line(
    'containerd',
    'snapshot-in-use',
    'containerd 2.3.4',
    logged('warning', 'snapshot garbage collection failed', {
      error: String.raw`second rename attempt following detach failed: rename C:\ProgramData\containerd\root\snapshots\1352 C:\ProgramData\containerd\root\snapshots\rm-1352: Zugriff verweigert`,
      snapshotter: 'windows',
    }),
    logged('warning', 'snapshot garbage collection failed', {error: 'context canceled', snapshotter: 'windows'}),
  ),
  line(
    'containerd',
    'containerd-disk-full',
    'containerd 2.3.4',
    'containerd said: failed to pull and unpack image "a": failed to extract layer sha256:1: hcsshim::ProcessBaseLayer failed in Win32: Es steht nicht genug Speicherplatz zur Verfuegung. (0x70)',
    'failed to extract layer sha256:1: hcsshim::ProcessBaseLayer failed in Win32: (0x5)',
  ),
  // core/content/helpers.go: the content store, where a layer is before it is unpacked.
  line(
    'kubelet',
    'containerd-disk-full',
    'containerd 2.3.4',
    pull(
      String.raw`failed to pull and unpack image "a": failed to copy: write C:\ProgramData\containerd\root\io.containerd.content.v1.content\ingest\0\data: There is not enough space on the disk.`,
    ),
    pull('failed to pull and unpack image "a": failed to copy: httpReadSeeker: failed open: not found'),
  ),
  line(
    'kubelet',
    'containerd-registry-certificate',
    'containerd 2.3.4',
    pull(`${REQUEST}tls: failed to verify certificate: x509: certificate signed by unknown authority`),
    pull(`${REQUEST}dial tcp 10.0.0.1:443: i/o timeout`),
  ),
  // core/remotes/docker/authorizer.go: a registry sends its clients to another server for a token.
  line(
    'kubelet',
    'containerd-registry-certificate',
    'containerd 2.3.4',
    pull(`${TOKEN}tls: failed to verify certificate: x509: certificate signed by unknown authority`),
    pull(`${TOKEN}dial tcp 10.0.0.1:443: i/o timeout`),
  ),
  line(
    'kubelet',
    'containerd-registry-unreachable',
    'containerd 2.3.4',
    pull(`${TOKEN}dial tcp 10.0.0.1:443: i/o timeout`),
    pull(`${TOKEN}x509: certificate has expired`),
  ),
  line(
    'kubelet',
    'containerd-registry-unreachable',
    'containerd 1.7.25',
    pull(
      'failed to resolve reference "a": failed to authorize: failed to fetch oauth token: Post "https://auth.example.com/token": dial tcp: lookup auth.example.com: no such host',
    ),
    'failed to fetch oauth token: unexpected status: 401 Unauthorized',
  ),
  line(
    'containerd',
    'containerd-registry-unreachable',
    'containerd 2.3.4',
    `containerd said: ${REQUEST}dial tcp: lookup mcr.microsoft.com: no such host`,
    `containerd said: ${REQUEST}x509: certificate has expired`,
  ),
  line(
    'kubelet',
    'sandbox-image-missing',
    'containerd 2.3.4',
    sandbox('failed to get sandbox image "registry.k8s.io/pause:3.10.2": failed to pull image: not found'),
    sandbox('failed to get image "registry.k8s.io/pause:3.10.2"'),
  ),
  line(
    'containerd',
    'image-without-this-windows',
    'containerd 2.3.4',
    'containerd said: failed to pull and unpack image "a": no match for platform in manifest sha256:1: not found',
    'containerd said: failed to pull and unpack image "a": not found',
  ),
  line(
    'containerd',
    'image-of-other-windows',
    'containerd 2.3.4',
    logrus('hcs::CreateComputeSystem abc: The container operating system does not match the host operating system.'),
    'the container operating system is windows',
  ),
  line(
    'containerd',
    'registry-rate-limit',
    'containerd 2.3.4',
    'containerd said: unexpected status from HEAD request to https://registry-1.docker.io/v2/a/manifests/1: 429 Too Many Requests',
    'containerd said: unexpected status from HEAD request to https://registry-1.docker.io/v2/a/manifests/1: 404 Not Found',
  ),
  line(
    'kubelet',
    'kubelet-without-endpoint',
    'kubelet 1.36.4',
    klog('E', 'run.go:72', String.raw`"command failed" err="failed to run Kubelet: protocol \"unix\" not supported"`),
    String.raw`protocol \"unix\" not supported`,
  ),
  line(
    'kubelet',
    'csi-proxy-needs-wmic',
    'kubelet 1.36.4',
    klog(
      'E',
      'goroutinemap.go:150',
      String.raw`Operation for "C:\var\lib\kubelet\plugins_registry\csi.vsphere.vmware.com-reg.sock" failed. Error: RegisterPlugin error -- plugin registration failed with err: rpc error: code = Internal desc = failed to get system uuid for node VM with error: rpc error: code = Unknown desc = exec: "wmic": executable file not found in %PATH%`,
    ),
    klog(
      'E',
      'run.go:74',
      String.raw`"command failed" err="failed to run Kubelet: exec: \"wmic\": executable file not found in %PATH%"`,
    ),
  ),
  line(
    'kubelet',
    'kubelet-needs-wmic',
    'kubelet 1.30.3',
    klog(
      'E',
      'run.go:74',
      String.raw`"command failed" err="failed to run Kubelet: exec: \"wmic\": executable file not found in %PATH%"`,
    ),
    String.raw`exec: \"xcopy\": executable file not found in %PATH%`,
  ),
  line(
    'kubelet',
    'kubelet-socket-left',
    'kubelet 1.31.0',
    errorS(
      'server.go:102',
      'Failed to listen to socket while starting device plugin registry',
      String.raw`listen unix C:\var\lib\kubelet\device-plugins\kubelet.sock: bind: Only one usage of each socket address`,
    ),
    String.raw`listen unix C:\var\lib\kubelet\pod-resources\kubelet.sock: bind: denied`,
  ),
]
