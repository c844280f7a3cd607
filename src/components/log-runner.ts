// kube-log-runner.exe, which comes with Kubernetes and writes the log file of a daemon that has no log files itself: from
// 1.26 on it is the program of the service, and the daemon its child, as on GCE (cluster/gce/windows/k8s-node-setup.psm1 of
// kubernetes) and in WMCO (pkg/services/services.go of openshift/windows-machine-config-operator).
import {win32} from 'node:path'
import {layoutOf} from '../config/layout.js'
import type {Node} from '../config/model.js'
import {flagsOf, LOG_RUNNER_FLAGS} from './releases/release-table.js'

/** Daemons of this release write no log files themselves. */
export const hasLogRunner = ({release}: Pick<Node, 'release'>): boolean =>
  flagsOf(LOG_RUNNER_FLAGS, release, {'log-file': ''}).length > 0

/** The command of a service: the daemon itself, or behind the runner where the release needs it. */
export function daemonCommand(
  {baseDir, release}: Node,
  program: 'kube-proxy' | 'kubelet',
  logs: string,
  args: readonly string[],
): string[] {
  const {binaries} = layoutOf(baseDir)
  // Its arguments come before the program (windows-machine-config-operator#1405).
  const runner = flagsOf(LOG_RUNNER_FLAGS, release, {
    'log-file': win32.join(logs, `${program}.log`),
    'log-file-size': '50Mi',
    'log-file-age': '168h',
  }).map((flag) => flag.replace('--', '-'))
  const daemon = [win32.join(binaries, `${program}.exe`), ...args]
  return runner.length === 0 ? daemon : [win32.join(binaries, 'kube-log-runner.exe'), ...runner, ...daemon]
}
