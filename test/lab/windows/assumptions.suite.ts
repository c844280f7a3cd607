// Holds what the simulator assumes of Windows against this host. A difference is news for the simulator and not a defect
// of the host: it is reported loudly, at the end, and fails nothing. A settler that breaks is a failure.
import {mkdtemp, rm} from 'node:fs/promises'
import {tmpdir} from 'node:os'
import path from 'node:path'
import {after, before, test} from 'node:test'
import {ASSUMPTIONS} from './assumptions/list.js'
import {summaryOf} from './assumptions/report.js'
import {settle, type SettlerContext, tell, type Verdict} from './assumptions/settler.js'
import {SETTLERS} from './assumptions/table.js'
import {thisHost} from './assumptions/this-host.js'
import {IS_WINE} from './windows-host.js'

const order = Object.keys(SETTLERS)
const inOrder = [...ASSUMPTIONS].sort((a, b) => order.indexOf(a.id) - order.indexOf(b.id))
const verdicts = new Map<string, Verdict>()
let context: SettlerContext

before(async () => {
  context = thisHost(await mkdtemp(path.join(tmpdir(), 'k8s-win assumptions-')))
})

after(async () => {
  await rm(context.scratch, {force: true, maxRetries: 10, recursive: true})
  process.stdout.write(summaryOf(ASSUMPTIONS, verdicts, IS_WINE ? 'Wine' : 'Windows'))
})

for (const assumption of inOrder) {
  test(assumption.id, async (settling) => {
    const settler = SETTLERS[assumption.id]
    if (!settler) throw new Error(`table.ts has nothing for ${assumption.id}`)
    const verdict = await settle(settler, context)
    verdicts.set(assumption.id, verdict)
    // At once: what comes later may cut the host off.
    process.stdout.write(`    ${tell(assumption, verdict)}\n`)
    if (verdict.kind === 'not settled') settling.skip(verdict.why)
  })
}
