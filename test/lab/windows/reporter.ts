// node:test's reporter in the suites: a line a test as it ends, and a last line with the numbers for the driver.
import type {TestEvent} from 'node:test/reporters'
import {inspect} from 'node:util'
import {type SuiteCounts, SUMMARY_MARK} from '../suite-counts.js'

interface Ended {
  readonly skip?: string | boolean | undefined
  readonly todo?: string | boolean | undefined
  readonly details: {readonly duration_ms: number; readonly error?: Error}
}

// Node takes a reporter's default export.
export default async function* report(source: AsyncIterable<TestEvent>): AsyncGenerator<string> {
  const counts: SuiteCounts = {failed: 0, passed: 0, skipped: 0}
  const groups: string[] = []
  for await (const event of source) {
    if (event.type === 'test:start') groups.splice(event.data.nesting, groups.length, event.data.name)
    // A group has failed because a test in it has: that one is counted.
    else if ((event.type === 'test:pass' || event.type === 'test:fail') && event.data.details.type !== 'suite') {
      const title = [...groups.slice(0, event.data.nesting), event.data.name].join(' > ')
      yield line(event.type, event.data, title, counts)
    }
  }
  yield `${SUMMARY_MARK}${JSON.stringify(counts)}\n`
}

function line(type: string, {details, skip, todo}: Ended, title: string, counts: SuiteCounts): string {
  const took = `${Math.round(details.duration_ms)} ms`
  if (skip !== undefined || todo !== undefined) {
    counts.skipped++
    return `  skipped  ${title}: ${String(skip ?? todo)}\n`
  }
  if (type === 'test:pass') {
    counts.passed++
    return `  ok       ${title} (${took})\n`
  }
  counts.failed++
  const why = inspect(details.error?.cause ?? details.error).replaceAll('\n', '\n    ')
  return `  FAILED   ${title} (${took})\n    ${why}\n`
}
