import {test, expect} from 'vitest'
import {cpSync} from 'node:fs'
import {Rig, temporaryFolder} from './rig.js'
import {openSimulator} from '../../src/simulator/simulator.js'
import {kubernetesBinaries} from '../../src/steps/kubernetes-binaries.js'
import {kubeletServiceStep} from '../../src/steps/kubelet-service.js'
test('time', async () => {
  let t = Date.now()
  const lap = (what: string) => { console.log(what, Date.now() - t); t = Date.now() }
  const rig = await Rig.open()
  lap('open')
  await rig.runBefore('kubelet-service')
  lap('before kubelet')
  const o = await rig.run(kubeletServiceStep)
  lap('kubelet')
  const p = await rig.runAll()
  expect(p.error).toBeUndefined()
  lap('rest')
  const d = temporaryFolder()
  cpSync(rig.dir, d, {recursive: true})
  lap('copy')
  const again = await Rig.open({dir: d})
  lap('open copy')
  await again.runAll()
  lap('again')
  const f = await Rig.open()
  await f.run(kubernetesBinaries)
  console.log(f.effects.filter(e=>e.kind==='change').length)
  for (const e of f.effects.filter(e=>e.kind==='change')) console.log(e.what, e.args.join(' ').slice(0,100))
  lap('k8s')
})
