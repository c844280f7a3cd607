// What settling the assumptions came to, in one list.
import type {Assumption} from './list.js'
import {tell, type Verdict} from './settler.js'

const HOSTS = {
  Windows: {
    advice: 'Please report these: the simulator must be corrected.',
    name: 'this Windows',
  },
  Wine: {advice: 'Wine is not Windows: this shows that the settlers work, and settles nothing.', name: 'Wine'},
} as const

export function summaryOf(
  assumptions: readonly Assumption[],
  verdicts: ReadonlyMap<string, Verdict>,
  host: 'Windows' | 'Wine',
): string {
  const count = (kind: Verdict['kind']) => [...verdicts.values()].filter((verdict) => verdict.kind === kind).length
  const differing = assumptions.flatMap((assumption) => {
    const verdict = verdicts.get(assumption.id)
    return verdict?.kind === 'differs' ? [`  ${tell(assumption, verdict)}`, `    assumed: ${assumption.statement}`] : []
  })
  const line = '='.repeat(78)
  const numbers = `${count('as assumed')} as assumed, ${count('differs')} DIFFER, ${count('not settled')} not settled`
  return [
    '',
    line,
    `What the simulator assumes of Windows, held against ${HOSTS[host].name}: ${numbers}`,
    ...differing,
    ...(differing.length > 0 ? [HOSTS[host].advice] : []),
    line,
    '',
  ].join('\n')
}
