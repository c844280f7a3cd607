// What hostile text costs: the slowest of many lines of 1 MB, for everything that reads text of others. Prints figures;
// test/output/linear-time.test.ts checks how they grow.
import {FEW_PIECES, PIECES, TEXT_FUNCTIONS, VIEWS} from '../test/output/hostile-text.js'

const LENGTH = 1_000_000
const AIM_MS = 200
const RUNS = 3

const ordinary = `I1115 06:04:02.823958    1116 kubelet_getters.go:176] "Pod status updated" pod="default/web-3" status=Running\n`
const filled = (piece: string): string => piece.repeat(Math.ceil(LENGTH / piece.length)).slice(0, LENGTH)

/** One run is enough where it is below the aim. */
function best(work: (text: string) => unknown, text: string): number {
  let ms = Infinity
  for (let run = 0; run < RUNS && ms > AIM_MS; run++) {
    const start = process.cpuUsage()
    work(text)
    ms = Math.min(ms, process.cpuUsage(start).user / 1000)
  }
  return ms
}

console.log(`${LENGTH} letters, best of ${RUNS} where the first is above the aim; aim: ${AIM_MS} ms`)
for (const [pieces, functions] of [[PIECES, TEXT_FUNCTIONS] as const, [FEW_PIECES, VIEWS] as const]) {
  for (const [name, work] of Object.entries(functions)) {
    const times = pieces
      .map((piece) => ({ms: best(work, filled(piece)), piece}))
      .sort((one, other) => other.ms - one.ms)
    const [worst = {ms: 0, piece: ''}] = times
    const usual = best(work, filled(ordinary))
    console.log(
      `${name.padEnd(36)} a log ${usual.toFixed(1).padStart(8)} ms   worst ${worst.ms.toFixed(1).padStart(8)} ms (${JSON.stringify(worst.piece)})   over the aim: ${times.filter(({ms}) => ms > AIM_MS).length}`,
    )
  }
}
