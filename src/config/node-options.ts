// The options that say what this node is.
import type {OptionSpec} from './option-spec.js'

export const NODE_OPTIONS = [
  {
    default: String.raw`c:\k`,
    flag: 'base-dir',
    key: 'baseDir',
    kind: 'text',
    stored: 'always',
    summary:
      'Folder for programs, configuration and logs: absolute, on a local drive. Created only if --kubeconfig is given.',
    value: '<folder>',
  },
  {
    default: 'Ethernet0',
    flag: 'interface-name',
    key: 'interfaceName',
    kind: 'text',
    summary:
      'Network adapter of the overlay network. If the default does not exist, the adapter with a default gateway.',
    value: '<name>',
  },
  {
    absent: "the computer's name in lower case",
    flag: 'node-name',
    key: 'nodeName',
    kind: 'text',
    summary: 'Name of the node. Default: its current name, or the computer name in lower case.',
    value: '<name>',
  },
  {
    absent: "the adapter's address",
    flag: 'node-ip',
    group: 'NODE',
    key: 'nodeIP',
    kind: 'text',
    summary: "Address of the node. Default: the adapter's.",
    value: '<ip>',
  },
  {
    absent: 'none',
    flag: 'node-label',
    group: 'NODE',
    key: 'nodeLabels',
    kind: 'pairs',
    summary: 'Label to register the node with: <key>=<value>. Repeatable.',
    value: '<key>=<value>',
  },
  {
    absent: 'none',
    flag: 'taint',
    group: 'NODE',
    key: 'taints',
    kind: 'list',
    summary:
      'Taint to register the node with: <key>=<value>:<effect> or <key>:<effect>. Effects: NoSchedule, PreferNoSchedule, NoExecute. Repeatable.',
    value: '<taint>',
  },
  {
    default: 'npipe:////./pipe/docker_engine',
    flag: 'docker-endpoint',
    group: 'NODE',
    key: 'dockerEndpoint',
    kind: 'text',
    summary: 'Named pipe of the local Docker Engine. A local DOCKER_HOST is used too.',
    value: '<npipe>',
  },
] as const satisfies readonly OptionSpec[]
