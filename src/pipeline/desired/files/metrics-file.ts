// The file of --metrics-file: created and recorded by setup, so that reset removes it; watch only replaces it. One that is not
// wanted any more is removed.
import {WATCH} from '../../../config/daemons.js'
import type {StepContext} from '../../run/step.js'
import {claimFile} from './file.js'
import {removeFile} from './remove-path.js'

const {step} = WATCH

const wantedOf = ({metricsFile, watch}: StepContext['config']): string | undefined =>
  watch === true ? metricsFile : undefined

/** What is wrong with it. */
export async function metricsDrift({config, host, journal}: StepContext): Promise<string[]> {
  const wanted = wantedOf(config)
  const recorded = journal.entries(step, 'file').map(({path}) => path)
  const unwanted = recorded.filter((path) => path !== wanted)
  const isThere = wanted === undefined || (recorded.includes(wanted) && (await host.files.status(wanted)) !== undefined)
  return [
    ...unwanted.map((path) => `${path} is not written any more`),
    ...(isThere ? [] : [`${wanted} does not exist or is not managed by k8s-win`]),
  ]
}

export async function applyMetrics(context: StepContext): Promise<void> {
  const {changed, config, host, journal} = context
  const wanted = wantedOf(config)
  for (const {path, previous} of journal.entries(step, 'file'))
    if (path !== wanted) await removeFile(context, path, previous)
  await journal.forget(({entry, step: of}) => of === step && entry.kind === 'file' && entry.path !== wanted)
  if (wanted === undefined) return
  await claimFile(context, step, wanted, 'user')
  if (await host.files.status(wanted)) return
  await host.files.write(wanted, '# Written by the service k8s-win.\n')
  changed(`write ${wanted}`)
}
