import {expect, test} from 'vitest'
import {comparable} from '../steps/comparable.js'
import {discard, recordKillPoints} from './kill-points.js'
import {setupOn} from './setup-run.js'
test('all', async () => {
  const t0 = performance.now()
  const r = await recordKillPoints()
  console.log(r.effects, r.left.length, r.left.reduce((n, l) => n + l.points.length, 0), performance.now() - t0)
  const wanted = comparable(r.undisturbed)
  let n = 0
  for (const {host, points} of r.left) {
    n++
    const {bug, result} = await setupOn(host.dir)
    const name = `${n} ${points[0]} (${points.length})`
    if (result?.exitCode !== 0) { console.log('FAIL', name, bug, JSON.stringify(result?.error), result?.steps.find((s) => s.state === 'failed')?.id); continue }
    try { expect(comparable(host)).toEqual(wanted) } catch (e) { console.log('DIFF', name, (e as Error).message.slice(0, 200), JSON.stringify((Object.entries(comparable(host)).filter(([k, v]) => wanted[k] !== v)).slice(0, 6)).slice(0, 1500)) }
  }
  console.log('took', performance.now() - t0, process.cpuUsage())
  discard(r)
}, 600000)
