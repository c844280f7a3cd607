// States of a node as the loop hands them to its reporters.
import {serviceDown} from '../../../src/errors/unhealthy-node.js'
import type {Trouble, WatchState} from '../../../src/runs/watch/model.js'

export const NOW = Date.UTC(2026, 10, 18, 12)

export const stopped = (component: string): Trouble => ({
  component,
  error: serviceDown({cause: 'Its program exited.', seen: 'is stopped (exit code 1)', service: component}),
  reason: 'FlanneldStopped',
  repairedBy: ['flanneld-service'],
})

export const state = (parts: Partial<WatchState> = {}): WatchState => ({
  at: NOW,
  components: ['flanneld', 'kubelet', 'kubeproxy', 'network'],
  repairs: [],
  since: NOW,
  troubles: [],
  verdict: 'healthy',
  ...parts,
})
