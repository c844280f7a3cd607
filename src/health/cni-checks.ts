// The folder of CNI configurations: k8s-win's file, and no other beside it.
import {win32} from 'node:path'
import {type Check, pass, warn} from '../preflight/check.js'

/** The first by name counts; another check tells of one that comes before ours. */
export const cniDuplicates: Check = {
  id: 'cni-duplicates',
  async run({host, layout}) {
    const {cniConfig, cniConfigFolder: folder} = layout
    const all = (await host.files.list(folder)).filter((name) => /\.(?:conf|conflist|json)$/i.test(name))
    const own = win32.basename(cniConfig).toLowerCase()
    const others = all.filter((name) => name.toLowerCase() !== own)
    if (!all.some((name) => name.toLowerCase() === own)) {
      return warn(`${cniConfig} is not there, so the node is not Ready`, 'Run "k8s-win setup" again: it writes it.')
    }
    if (others.length === 0) return pass('ours, and no other')
    return warn(
      `${folder} has ${others.join(', ')} beside ours: two of them give the same address to two pods`,
      `Remove what is not used from ${folder}.`,
    )
  },
  title: 'One CNI configuration',
}
