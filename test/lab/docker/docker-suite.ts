// One suite for the real engine and for the simulator's model of it: cases as plain functions, for any test runner.
import {CONTAINER_CASES} from './container-cases.js'
import {ENGINE_CASES} from './engine-cases.js'
import {IMAGE_CASES} from './image-cases.js'
import type {DockerCase, DockerLab} from './rig.js'

export const DOCKER_CASES: readonly DockerCase[] = [...ENGINE_CASES, ...IMAGE_CASES, ...CONTAINER_CASES]

export async function runCase(lab: DockerLab, {run, surroundings = {}}: DockerCase): Promise<void> {
  const rig = await lab.open(surroundings)
  try {
    await run(rig)
  } finally {
    await rig.close()
  }
}
