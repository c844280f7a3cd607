// The shape of machine.json's cluster.
import {anyObject, boolean, list, map, moment, number, object, oneOf, span, string} from '../schema-parts.js'

export const clusterSchema = object(
  {
    allocateNodeCIDRs: boolean,
    clusterCIDR: string,
    configMaps: list(object({data: map(string), name: string, namespace: string})),
    nodes: list(
      object(
        {
          addresses: list(object({address: string, type: string})),
          annotations: map(string),
          labels: map(string),
          name: string,
          podCIDR: string,
          ready: boolean,
          readyReason: string,
          taints: list(object({effect: string, key: string}, {value: string})),
        },
        {
          heartbeatAt: moment,
          kubeletVersion: string,
          machineID: string,
          readyMessage: string,
          unschedulable: {...boolean, description: 'Cordoned.'},
        },
      ),
    ),
    permissions: {
      ...list(string),
      description:
        'The authorizers "Node" and "RBAC", which decide by identity and by roleBindings; or what anybody may do: "*", or a verb and a resource, "get nodes". With "Node" goes the admission plugin NodeRestriction.',
    },
    reachable: boolean,
    serverURL: string,
    services: list(
      object(
        {clusterIP: string, name: string, namespace: string},
        {clusterIPs: list(string), endpoints: {...list(string), description: 'Addresses of its ready endpoints.'}},
      ),
    ),
    version: string,
  },
  {
    clusterRoles: map(
      list(
        object({resources: list(string), verbs: list(string)}, {apiGroups: list(string), resourceNames: list(string)}),
      ),
    ),
    clockAheadMs: {...span, description: "How far the API server's clock is ahead of this host's."},
    daemonSets: list(
      object(
        {name: string, namespace: string},
        {affinity: anyObject, nodeName: string, nodeSelector: map(string), tolerations: list(anyObject)},
      ),
    ),
    disruptionBudgets: list(
      object({
        allowed: {...number, description: 'How many of its pods may be on their way out at the same time.'},
        labels: map(string),
        name: string,
        namespace: string,
      }),
    ),
    pods: list(
      object(
        {name: string, namespace: string, node: string},
        {
          annotations: map(string),
          deletedAt: moment,
          finalizers: list(string),
          goneAt: moment,
          graceMs: {...span, description: 'How long it takes to end; 2 s where it is not said.'},
          labels: map(string),
          owner: object({kind: string, name: string}),
          phase: oneOf('Failed', 'Pending', 'Running', 'Succeeded', 'Unknown'),
        },
      ),
    ),
    permissionsOf: {...map(list(string)), description: 'In place of permissions, by name of the user.'},
    proxy: {...string, description: 'The HTTP proxy that is the only way to it.'},
    roleBindings: list(object({name: string, role: string}, {group: string, namespace: string, user: string})),
    tokens: {...map(string), description: 'Names of users by bearer token.'},
    watchDelayMs: {...span, description: 'How late clients hear of a change that they watch for.'},
  },
)
