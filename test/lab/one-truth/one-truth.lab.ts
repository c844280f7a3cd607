// One truth, with real parts: the real program on the lab's Windows does what it does on the simulator.
import {afterAll, beforeAll, describe, expect, test} from 'vitest'
import {inProcess} from '../../one-truth/in-process.js'
import {differences, tell} from '../../one-truth/observation.js'
import {observe} from '../../one-truth/observe.js'
import {SCENARIOS} from '../../one-truth/scenarios.js'
import {isWhole, sample} from '../../sample.js'
import {type Lab, openLab} from '../lab.js'
import {EXPLAINED, type Explained, judge} from './explained.js'
import {inLab} from './lab-way.js'

const SCENARIO_MS = 1_200_000

let lab: Lab
const met = new Set<Explained>()

beforeAll(async () => {
  lab = await openLab()
})
afterAll(() => lab.close())

describe.concurrent("on the simulator and on the lab's Windows", () => {
  test.each(sample(SCENARIOS, 5))(
    '$name',
    async (scenario) => {
      const found = differences(await observe(inProcess, scenario), await observe(inLab(lab), scenario))
      const {met: explained, unexplained} = judge(found)
      for (const one of explained) met.add(one)
      expect(unexplained.map((difference) => tell(difference))).toEqual([])
    },
    SCENARIO_MS,
  )
})

test.runIf(isWhole)('every difference that is explained was met', () => {
  expect(EXPLAINED.filter((one) => !met.has(one) && !one.isOfTime).map(({reason}) => reason)).toEqual([])
})
