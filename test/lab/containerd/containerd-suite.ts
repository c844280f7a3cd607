// One suite for the real daemon and for the simulator's model of it.
import {DAEMON_CASES} from './daemon-cases.js'
import {IMAGE_CASES} from './image-cases.js'
import type {ContainerdCase, ContainerdLab} from './rig.js'

export const CONTAINERD_CASES: readonly ContainerdCase[] = [...DAEMON_CASES, ...IMAGE_CASES]

export async function runCase(lab: ContainerdLab, {run, surroundings = {}}: ContainerdCase): Promise<void> {
  const rig = await lab.open(surroundings)
  try {
    await run(rig)
  } finally {
    await rig.close()
  }
}
