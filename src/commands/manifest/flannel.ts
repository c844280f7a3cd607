// k8s-win manifest flannel: parse, make, print.
import {Command} from '@oclif/core'
import {flannelFlags, givenOptions, globalFlags, outputFormat} from '../../cli/flag-table.js'

export default class ManifestFlannel extends Command {
  static override description = `Prints a manifest of flannel for the Linux nodes of a cluster that is to have Windows nodes: VXLAN with VNI 4096 on UDP port 4789, which is all that Windows speaks, on Linux nodes only. Nothing is looked at and nothing is changed: hand it to kubectl on a machine that may administer the cluster.

Linux nodes need the kernel module br_netfilter and the sysctl net.bridge.bridge-nf-call-iptables=1; the manifest's head says how.

Exit codes: 0 printed; 2 wrong command line, or a value that cannot be used; 5 the output could not be written.`

  static override examples = [
    {
      command: '<%= config.bin %> manifest flannel | kubectl apply -f -',
      description: 'Give the cluster a flannel that Windows nodes can join',
    },
    {
      command: '<%= config.bin %> manifest flannel -ClusterCIDR 10.100.0.0/16 > kube-flannel.yaml',
      description: 'For another pod network, into a file',
    },
  ]

  static override flags = {...flannelFlags, ...globalFlags}

  static override summary = "Print flannel's manifest for the cluster's Linux nodes."

  // With a blank: oclif's readme writes an id with a colon.
  static override usage = 'manifest flannel [FLAGS]'

  override async run(): Promise<number> {
    const parsed = await this.parse(ManifestFlannel)
    const [{flannelManifest}, {flannelHead, jsonText, yamlText}] = await Promise.all([
      import('../../runs/flannel-manifest.js'),
      import('../../output/text/manifest-text.js'),
    ])
    const {clusterCIDR, objects} = flannelManifest(givenOptions(parsed), process.env)
    const format = outputFormat(parsed.flags)
    process.stdout.write(format === 'text' ? yamlText(objects, flannelHead(clusterCIDR)) : jsonText(objects, format))
    return 0
  }
}
