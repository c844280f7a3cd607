// Stopping, starting and running the daemons of a node by hand. Exit code 2: a wrong command line; 3: refused before anything
// was changed; 5: a daemon in the foreground has ended by itself.
import {defineError} from './define.js'

export const unknownDaemon = defineError('UNKNOWN_DAEMON', 2, {
  cause: 'No daemon of a node has that name.',
  fix: (p: {known: string; suggestion: string}) =>
    p.suggestion === '' ? `Name one of: ${p.known}.` : `Did you mean ${p.suggestion}? There are: ${p.known}.`,
  message: 'Unknown daemon "{one}"',
})

export const missingDaemon = defineError('MISSING_DAEMON', 2, {
  cause: 'One daemon runs in the foreground of a console.',
  fix: 'Name one of: {known}.',
  message: 'No daemon is named',
})

export const drainWithoutKubelet = defineError('DRAIN_WITHOUT_KUBELET', 2, {
  cause: 'A node is drained because its kubelet stops, and the kubelet continues to run beside: {daemon}.',
  fix: 'Leave out --drain, or name the kubelet or all.',
  message: '--drain is only for what stops the kubelet',
})

export const serviceFlag = defineError('SERVICE_FLAG', 2, {
  cause: 'It is for a service: its output goes to files, or it connects to the service manager.',
  fix: 'Leave it out: k8s-win runs the daemon in the foreground, with its output on the screen.',
  message: '{flag} is not for a daemon in the foreground',
})

export const daemonExited = defineError('DAEMON_EXITED', 5, {
  cause: 'Its last lines above show why, where it printed them.',
  fix: 'Fix the reported problem. "k8s-win run {service:word} --print" shows the command.',
  message: '{program} ended by itself with exit code {code}',
})

export const runtimeNotManaged = defineError('RUNTIME_NOT_MANAGED', 3, {
  cause: 'The container runtime {runtime} of this node was there before setup, so k8s-win neither stops nor starts it.',
  fix: 'Use the service manager: "sc.exe stop {service:word}" and "sc.exe start {service:word}". Stopping it ends the pods of this node.',
  message: 'k8s-win does not manage the service {service}',
})

export const podsWouldEnd = defineError('PODS_WOULD_END', 2, {
  cause: 'The pods of this node end with containerd, and the kubelet starts them again after it: {pods}.',
  fix: 'Run the same command again with --yes. To move the pods to other nodes before, use "kubectl drain {node:word} --ignore-daemonsets --delete-emptydir-data".',
  message: 'Stopping containerd ends the pods of this node',
})

export const daemonsStopped = defineError('DAEMONS_STOPPED', 3, {
  cause: 'They were stopped by "k8s-win stop", which pauses the service k8s-win until they are started: {services}.',
  fix: 'Run "k8s-win start": it starts them, and ends the pause.',
  message: 'Daemons of this node are stopped',
})
