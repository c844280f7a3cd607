// PATH and KUBECONFIG, and whether running programs were notified of the change.
import {layoutOf} from '../../config/layout.js'
import {keyOf} from '../../host/security/known-paths.js'
import type {StepContext} from '../run/step.js'
import type {EntryOf} from '../ledger/entries.js'
import type {Kind, Search} from '../ledger/kind.js'

const STEP = 'machine-environment'
const VARIABLE = 'KUBECONFIG'
/** The limit of Windows. */
const LONGEST_VARIABLE = 32_767

export const environment: Kind = {
  accepts: ({name, previous}) => name === VARIABLE && (previous === undefined || isValue(previous)),
  find: {place: 'PATH and KUBECONFIG', search: findEnvironment},
  /** Together with PATH, so that running programs are notified once. */
  async remove(context, step) {
    if (step !== STEP) return
    const {changed, host, journal} = context
    await announceForLastRun(context)
    for (const {folder} of journal.entries(STEP, 'path-entry')) {
      if (!(await host.environment.isOnPath(folder))) continue
      await journal.record(STEP, notified(false))
      await host.environment.removeFromPath(folder)
      changed(`remove ${folder} from PATH`)
    }

    await restoreVariable(context)
    if (!isNotified(context)) await journal.record(STEP, notified(true))
  },
  steps: [STEP],
}

export const pathEntry: Kind = {
  accepts: ({folder}, _, {baseDir}) =>
    typeof folder === 'string' && keyOf(folder) === keyOf(layoutOf(baseDir).binaries),
  steps: [STEP],
}

export const environmentNotified: Kind = {accepts: (fields) => typeof fields['isNotified'] === 'boolean', steps: [STEP]}

export const notified = (isNotified: boolean): EntryOf<'environment-notified'> => ({
  kind: 'environment-notified',
  isNotified,
})

export const isNotified = ({journal}: Pick<StepContext, 'journal'>): boolean =>
  journal.entries(STEP, 'environment-notified')[0]?.isNotified ?? true

/** A killed run may have left the notification to this one. */
export async function announceForLastRun(context: StepContext): Promise<void> {
  if (isNotified(context)) return
  await context.host.environment.announce()
  context.changed('notify running programs of PATH and KUBECONFIG')
}

async function restoreVariable({changed, config, host, journal}: StepContext): Promise<void> {
  const [newest] = journal.entries(STEP, 'environment')
  // A value that was set since then stays.
  if (!newest || (await host.environment.get(newest.name)) !== layoutOf(config.baseDir).kubeconfig) return
  const {name, previous} = newest
  await journal.record(STEP, notified(false))
  await host.environment.set(name, previous)
  changed(previous === undefined ? `remove ${name}` : `set ${name} back to ${previous}`)
}

const isValue = (value: unknown): boolean =>
  typeof value === 'string' && value.length <= LONGEST_VARIABLE && !value.includes('\0')

async function findEnvironment({claim, config, host, isNamed, leave}: Search): Promise<void> {
  const {binaries: folder, kubeconfig} = layoutOf(config.baseDir)
  if (await host.environment.isOnPath(folder)) claim(STEP, {folder, kind: 'path-entry'})
  if ((await host.environment.get(VARIABLE)) !== kubeconfig) return
  claim(STEP, {kind: 'environment', name: VARIABLE})
  if (isNamed({kind: 'environment', name: VARIABLE})) return
  leave(`the variable ${VARIABLE} is removed, and the value that it may have had before setup is not known`)
}
