// k8s-win upgrade: parse, run setup with another release, return the exit code.
import {Command} from '@oclif/core/command'
import {exitCodes, OPERATION_FAILED} from '../cli/exit-codes.js'
import {givenOptions, givenReset, globalFlags, nodeFlags, upgradeFlags} from '../cli/arguments/flag-table.js'
import {setupNode} from '../cli/run/run-setup.js'
import {resolveDrain} from '../config/options/reset-options.js'

const REFUSED =
  'the host or the cluster does not qualify, pods must be evicted first (--drain), or pods without a controller would be lost (--yes); nothing was changed on the host'

export default class Upgrade extends Command {
  static override description = `Brings the node to another release, newer or older, with the options of the last setup. Before anything is stopped, it checks the host and the version skew, downloads and verifies the programs, keeps the old ones, and cordons the node. When the new release is proven to work, the node is uncordoned. If it fails, the old release is restored, and proven too.

Kubernetes does not support another minor version under running pods: they are evicted with --drain, or upgrade is refused. Pods without a controller, which nothing would recreate, are evicted only with --yes. A newer patch does not require it. A node with Docker stays below 1.24.

If it is interrupted, run the same command again to resume, or "k8s-win setup" to return to the old release.

${exitCodes([0, 'done, planned (--dry-run), or continued as a service (--detach)'], 1, 2, [3, REFUSED], 4, OPERATION_FAILED, [6, 'pods did not terminate in time (--drain), or the new release does not work and the old one is back'], [7, 'the new release does not work, and the old one could not be restored'], [9, 'there is no node in this base directory'], 10, 11, 130)}`

  static override examples = [
    {
      command: '<%= config.bin %> upgrade',
      description: "Install the newest known patch of the API server's minor version",
    },
    {
      command: '<%= config.bin %> upgrade --release 1.36.4 --drain',
      description: 'Evict the pods, and install this release',
    },
    {
      command: '<%= config.bin %> upgrade --release 1.36.4 --drain --dry-run',
      description: 'Show what would change',
    },
  ]

  static override flags = {'base-dir': nodeFlags['base-dir'], ...upgradeFlags, ...globalFlags}

  static override summary = 'Bring the node to another Kubernetes release.'

  static override usage = '<%= command.id %> [FLAGS]'

  override async run(): Promise<number> {
    const parsed = await this.parse(Upgrade)
    const drainMs = resolveDrain(givenReset(parsed), process.env)
    return setupNode({
      flags: parsed.flags,
      given: givenOptions(parsed),
      packageRoot: this.config.root,
      version: this.config.version,
      upgrade: drainMs === undefined ? {} : {drainMs},
    })
  }
}
