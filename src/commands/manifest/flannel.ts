// k8s-win manifest flannel: parse, make, print.
import {Command} from '@oclif/core/command'
import {flannelHead, jsonText, yamlText} from '../../output/text/manifest-text.js'
import {flannelManifest} from '../../runs/flannel-manifest.js'
import {readerExitCodes} from '../../cli/exit-codes.js'
import {flannelFlags, givenOptions, globalFlags, outputFormat} from '../../cli/arguments/flag-table.js'

export default class ManifestFlannel extends Command {
  static override description = `Prints a flannel manifest for the Linux nodes of a cluster with Windows nodes: VXLAN with VNI 4096 on UDP port 4789, the only values that Windows supports. Checks and changes nothing: apply it with kubectl and administrator rights.

Linux nodes require the kernel module br_netfilter and the sysctl net.bridge.bridge-nf-call-iptables=1; see the comment at the top of the manifest.

${readerExitCodes([0, 'printed'], [2, 'invalid command line'], 5)}`

  static override examples = [
    {
      command: '<%= config.bin %> manifest flannel | kubectl apply -f -',
      description: 'Install a flannel that Windows nodes can join',
    },
    {
      command: '<%= config.bin %> manifest flannel --cluster-cidr 10.100.0.0/16 > kube-flannel.yaml',
      description: 'Write the manifest for another pod network to a file',
    },
  ]

  static override flags = {...flannelFlags, ...globalFlags}

  static override summary = 'Print the flannel manifest for the Linux nodes of the cluster.'

  // With a blank: oclif's readme writes an id with a colon.
  static override usage = 'manifest flannel [FLAGS]'

  override async run(): Promise<number> {
    const parsed = await this.parse(ManifestFlannel)
    const {clusterCIDR, objects} = flannelManifest(givenOptions(parsed), process.env)
    const format = outputFormat(parsed.flags)
    process.stdout.write(format === 'text' ? yamlText(objects, flannelHead(clusterCIDR)) : jsonText(objects, format))
    return 0
  }
}
