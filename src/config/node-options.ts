// The options that say what this node is.
import type {OptionSpec} from './option-spec.js'

export const NODE_OPTIONS = [
  {
    default: String.raw`c:\k`,
    flag: 'base-dir',
    group: 'NODE',
    key: 'baseDir',
    kind: 'text',
    stored: 'always',
    summary:
      'Folder for binaries, configuration and logs: absolute, on a local drive. Made only if --kubeconfig is given.',
    value: '<folder>',
  },
  {
    default: 'Ethernet0',
    flag: 'interface-name',
    group: 'NODE',
    key: 'interfaceName',
    kind: 'text',
    summary:
      'Network adapter of the overlay. If you name none and there is no Ethernet0, the one with a default gateway.',
    value: '<name>',
  },
  {
    absent: "the computer's name in lower case",
    flag: 'node-name',
    group: 'NODE',
    key: 'nodeName',
    kind: 'text',
    summary: "The node's name. Without it, the one it has, or the computer's name in lower case.",
    value: '<name>',
  },
  {
    absent: "the adapter's address",
    flag: 'node-ip',
    group: 'NODE',
    key: 'nodeIP',
    kind: 'text',
    summary: "The node's address. Without it, the adapter's.",
    value: '<ip>',
  },
  {
    absent: 'none',
    flag: 'node-label',
    group: 'NODE',
    key: 'nodeLabels',
    kind: 'pairs',
    summary: 'Label the node registers with: <key>=<value>. Repeatable.',
    value: '<key>=<value>',
  },
  {
    absent: 'none',
    flag: 'taint',
    group: 'NODE',
    key: 'taints',
    kind: 'list',
    summary:
      'Taint the node registers with: <key>=<value>:<effect> or <key>:<effect>. Effects: NoSchedule, PreferNoSchedule, NoExecute. Repeatable.',
    value: '<taint>',
  },
  {
    default: 'npipe:////./pipe/docker_engine',
    flag: 'docker-endpoint',
    group: 'NODE',
    key: 'dockerEndpoint',
    kind: 'text',
    summary: 'Local pipe of the Docker Engine. DOCKER_HOST is honoured if it is local.',
    value: '<npipe>',
  },
] as const satisfies readonly OptionSpec[]
