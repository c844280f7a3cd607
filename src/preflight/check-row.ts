// The row of a check, as setup and doctor show it.
import type {CheckResult} from '../pipeline/run/events.js'
import type {Check, Finding} from './check.js'

/** `cause`: of a problem. Only doctor shows it. */
export type Row = CheckResult & {readonly cause?: string}

type Shown = Omit<Row, 'durationMs' | 'id' | 'title'>

/** Of a check that found no problem. */
export function foundRow({healthy = ''}: Pick<Check, 'healthy'>, finding: Finding): Shown {
  const {dependsOn, fix, message = healthy, notice, result = 'pass', warnings = []} = finding
  const noticed = notice === undefined ? {} : {notice}
  if (result === 'pass' && warnings.length > 0)
    return {...(fix !== undefined && {fix}), message: warnings.join('; '), ...noticed, result: 'warn'}
  return {...(dependsOn && {dependsOn}), message, ...noticed, result}
}

export const failedRow = (problems: readonly Required<Pick<Row, 'cause' | 'fix' | 'message'>>[]): Shown => ({
  cause: [...new Set(problems.map(({cause}) => cause))].join(' '),
  fix: joined(problems.map(({fix}) => fix)),
  message: problems.map(({message}) => message).join('; '),
  result: 'fail',
})

/** A fix that ends with commands keeps each on its own line. */
function joined(fixes: readonly string[]): string {
  return [...new Set(fixes)].reduce((all, fix) => `${all}${all.includes('\n') ? '\n' : ' '}${fix}`)
}
