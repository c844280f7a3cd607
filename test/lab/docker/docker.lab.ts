// Our Docker host against a real Docker Engine and a real registry; and the simulator's answers held against theirs.
import {afterAll, beforeAll, describe, expect, it} from 'vitest'
import {DOCKER_CASES, runCase} from './docker-suite.js'
import {openRealLab, type RealLab} from './real-lab.js'
import type {DockerLab} from './rig.js'
import {askShapes} from './shape-questions.js'
import {contradictions, type Shapes, writeShapes} from './shapes.js'
import {simulatedLab} from './simulated-lab.js'

let lab: RealLab

beforeAll(async () => void (lab = await openRealLab()))
afterAll(() => lab?.close())

// Once more where it fails: beside other suites the connection behind the proxy was reset in 2 of about 300 cases, for a
// reason that is not known yet (engine-proxy.ts writes it to stderr).
describe('the real engine', {retry: 1}, () => {
  for (const one of DOCKER_CASES) it(one.name, () => runCase(lab, one))
})

async function shapesOf(from: DockerLab): Promise<Shapes> {
  const rig = await from.open({})
  try {
    return await askShapes(rig)
  } finally {
    await rig.close()
  }
}

it('answers in the shapes that the simulator answers in, and that are on record for the ordinary tests', async () => {
  const real = await shapesOf(lab)
  expect(contradictions(real, await shapesOf(simulatedLab))).toEqual([])
  await expect(writeShapes(real)).toMatchFileSnapshot('recorded-shapes.txt')
})

it('runs beside another one', async () => {
  const second = await openRealLab()
  try {
    expect([second.engine.socket, second.engine.tcpPort()]).not.toEqual([lab.engine.socket, lab.engine.tcpPort()])
    const isPull = DOCKER_CASES.filter(({name}) => name.includes('progress in bytes') || name.includes('run once'))
    expect(isPull).toHaveLength(2)
    for (const one of isPull) await Promise.all([runCase(lab, one), runCase(second, one)])
  } finally {
    await second.close()
  }
})
