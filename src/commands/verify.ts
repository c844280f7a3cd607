// k8s-win verify: parse, run the smoke test, return the exit code.
import {Command} from '@oclif/core/command'
import * as Flags from '@oclif/core/flags'
import {chooseMachine} from '../cli/choose-machine.js'
import {exitCodes} from '../cli/exit-codes.js'
import {globalFlags, nodeFlags} from '../cli/arguments/flag-table.js'
import {runWithView} from '../cli/run/run-with-view.js'
import {file, parsedFlag, timeout} from '../config/options/parse-option.js'
import {runVerify} from '../runs/verify/verify.js'

const TIMEOUT = '10m'

export default class Verify extends Command {
  static override description = `Runs a short-lived pod on this node, which requests the API server by its DNS name and by the address of its Service, and a pod of the cluster DNS on another node. The pod is deleted afterwards; one that an interrupted run has left is deleted first. Setup does the same at its end.

A node's own identity may not create pods. Pass the kubeconfig of an administrator to --kubeconfig: it is read once and stored nowhere. Without an identity that may, every check is reported as not checked, with exit code 8.

${exitCodes([0, 'every check passed, or had nothing to check, such as a pod on another node of a cluster that has no other'], 1, 2, [3, 'this is not Windows, you are not an administrator, or the API server cannot be reached'], [6, 'a check failed, the test pod did not run, or --timeout expired'], [8, 'no check failed, and one or more could not be made: the identity may not create pods, the API server refused the pod, or the base image is missing'], [9, 'there is no node in this base directory'], 11, 130)}`

  static override examples = [
    {
      command: String.raw`<%= config.bin %> verify --kubeconfig C:\Users\Administrator\.kube\config`,
      description: 'Test DNS, Services and the overlay network from a pod on this node',
    },
    {
      command: String.raw`<%= config.bin %> verify --kubeconfig C:\Users\Administrator\.kube\config --output json`,
      description: 'One JSON document (schemas/result.schema.json)',
    },
  ]

  static override flags = {
    kubeconfig: Flags.string({
      defaultHelp: async () => Promise.resolve("the node's own"),
      helpValue: '<file>',
      summary: 'Kubeconfig of an identity that may create, get and delete pods. It is not stored.',
    }),
    timeout: Flags.string({
      defaultHelp: async () => Promise.resolve(TIMEOUT),
      helpValue: '<duration>',
      summary: 'Time limit of the whole run: 90s, 15m, 1h.',
    }),
    'base-dir': nodeFlags['base-dir'],
    ...globalFlags,
  }

  static override summary = 'Test DNS, Services and the overlay network from a pod on this node.'

  static override usage = '<%= command.id %> [FLAGS]'

  override async run(): Promise<number> {
    const {flags} = await this.parse(Verify)
    const baseDir = flags['base-dir']
    const kubeconfig = flags.kubeconfig === undefined ? undefined : parsedFlag('kubeconfig', flags.kubeconfig, file)
    const timeoutMs = parsedFlag('timeout', flags.timeout ?? TIMEOUT, timeout)
    const chosen = await chooseMachine(flags, process.platform)
    // Its checks are all there is to show.
    const shown = {...flags, verbose: true}
    return runWithView({baseDir, chosen, flags: shown, next: [], packageRoot: this.config.root}, (parts) =>
      runVerify({...parts, baseDir, kubeconfig, timeoutMs}),
    )
  }
}
