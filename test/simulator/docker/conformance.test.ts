// The suite that the real Docker Engine passes in the lab, on the simulator's model of it.
import {readFileSync} from 'node:fs'
import {describe, expect, it} from 'vitest'
import {DOCKER_CASES, runCase} from '../../lab/docker/docker-suite.js'
import {askShapes} from '../../lab/docker/shape-questions.js'
import {contradictions, readShapes} from '../../lab/docker/shapes.js'
import {simulatedLab} from '../../lab/docker/simulated-lab.js'

describe('the simulated engine', () => {
  for (const one of DOCKER_CASES) it(one.name, () => runCase(simulatedLab, one))

  it('answers in the shapes that were recorded from the real one', async () => {
    const recorded = readFileSync(new URL('../../lab/docker/recorded-shapes.txt', import.meta.url), 'utf8')
    const rig = await simulatedLab.open({})
    try {
      const [real, simulated] = [readShapes(recorded), await askShapes(rig)]
      expect(Object.keys(simulated)).toEqual(Object.keys(real))
      expect(contradictions(real, simulated)).toEqual([])
    } finally {
      await rig.close()
    }
  })
})
