// k8s-win manifest node-access: parse, print.
import {Command} from '@oclif/core/command'
import {nodeAccessObjects} from '../../components/node-access.js'
import {jsonText, nodeAccessHead, yamlText} from '../../output/text/manifest-text.js'
import {readerExitCodes} from '../../cli/exit-codes.js'
import {globalFlags, outputFormat} from '../../cli/arguments/flag-table.js'

export default class ManifestNodeAccess extends Command {
  static override description = `Prints the RBAC objects that let kube-proxy and flanneld use the identity of their node: a node that joins with a token has no other. Checks and changes nothing: apply it once per cluster with kubectl and administrator rights.

The permissions are granted to the group system:nodes, so they apply to every node of the cluster; see the comment at the top of the manifest. Nodes whose kube-proxy and flanneld have their own kubeconfigs (--kube-proxy-kubeconfig, --flanneld-kubeconfig) do not need them.

${readerExitCodes([0, 'printed'], [2, 'invalid command line'], 5)}`

  static override examples = [
    {
      command: '<%= config.bin %> manifest node-access | kubectl apply -f -',
      description: 'Grant the permissions, once per cluster',
    },
    {
      command: '<%= config.bin %> manifest node-access | kubectl diff -f -',
      description: 'Show which of them the cluster does not have yet',
    },
  ]

  static override flags = {...globalFlags}

  static override summary = 'Print the RBAC objects that nodes need to run kube-proxy and flanneld.'

  // With a blank: oclif's readme writes an id with a colon.
  static override usage = 'manifest node-access [FLAGS]'

  override async run(): Promise<number> {
    const {flags} = await this.parse(ManifestNodeAccess)
    const objects = nodeAccessObjects()
    const format = outputFormat(flags)
    process.stdout.write(format === 'text' ? yamlText(objects, nodeAccessHead()) : jsonText(objects, format))
    return 0
  }
}
