// How a run ended, in words: errors, recap, node, what to do next.
import type {CheckResult, ErrorDocument, Recap, RunResultDocument} from '../pipeline/events.js'
import {duration} from './figures.js'

export function recapLine(recap: Recap): string {
  return `ok=${recap.ok} changed=${recap.changed} skipped=${recap.skipped} failed=${recap.failed}`
}

/** A warning brings its fix along; a failed check's fix comes with the errors at the end. */
export function checkText({fix, message, result, title}: CheckResult): string {
  const said = `${title}: ${message}`
  return result === 'warn' && fix !== undefined ? `${said.replace(/\.?$/, '.')} Fix: ${fix}` : said
}

export function nodeLine(result: RunResultDocument): string | undefined {
  const {node} = result
  if (node === undefined) return undefined
  return `Node ${node.name} is ${node.ready ? 'Ready' : 'not Ready'} (${node.ip}, pods ${node.podCIDR})`
}

export function errorsOf(result: RunResultDocument): readonly ErrorDocument[] {
  return result.errors ?? (result.error === undefined ? [] : [result.error])
}

/** The last line: short enough for launchers that keep only the end of the output. */
export function verdictLine(result: RunResultDocument): string {
  const took = `in ${duration(result.durationMs)}`
  switch (result.outcome) {
    case 'done': {
      return `${result.command} done ${took}`
    }
    case 'failed': {
      const where = result.steps.find((step) => step.state === 'failed')?.id
      const ids = [...new Set(errorsOf(result).map((error) => error.id))].slice(0, 3).join(', ')
      return `${result.command} failed${where === undefined ? '' : ` at ${where}`}${ids === '' ? '' : `: ${ids}`} (exit code ${result.exitCode})`
    }
    case 'interrupted': {
      return `${result.command} interrupted ${took}; run the same command again to go on`
    }
    case 'planned': {
      return `${result.command} planned ${took}; nothing was changed`
    }
    case 'restart-required': {
      return `${result.command}: restart Windows, then run the same command again`
    }
  }
}
