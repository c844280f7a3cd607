// The suite that a real containerd passes in the lab (test/lab/containerd), on the simulated one.
import {describe, it} from 'vitest'
import {CONTAINERD_CASES, runCase} from '../../lab/containerd/containerd-suite.js'
import {simulatedLab} from '../../lab/containerd/simulated-lab.js'

describe('the simulated containerd', () => {
  for (const one of CONTAINERD_CASES) it(one.name, () => runCase(simulatedLab, one))
})
