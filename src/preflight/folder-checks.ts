// What we run and read must be changed by administrators only, and nobody may put something else in its place.
import {ProblemsError} from '../errors/k8s-win-error.js'
import {lookAtFolders} from '../pipeline/desired/restrict-folders.js'
import {type Check, notLookedAt, pass} from './check.js'

export const safeFolders: Check = {
  id: 'safe-folders',
  async run({config, host, layout}) {
    // Nobody else gets an answer, and that one is missing is told by its own check. So is a base directory that is none.
    if (!(await host.os.isAdministrator())) return notLookedAt('told to administrators only')
    const status = await host.files.status(config.baseDir)
    if (status && status.kind !== 'directory') return notLookedAt('not looked at, for the base directory is no folder')
    const {exposed, open, problems} = await lookAtFolders(host, config, {secrets: [layout.kubeconfig], theirs: []})
    if (problems.length > 0) throw new ProblemsError(problems)
    const count = open.length + exposed.length
    return pass(count === 0 ? 'closed to others' : `open to others: ${count}; setup closes them`)
  },
  title: 'Safe folders',
}
