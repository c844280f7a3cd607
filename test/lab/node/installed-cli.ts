// k8s-win as npm installs it for everyone: the program of a service must be where only administrators can change it.
import type {LabMachine} from '../lab.js'
import type {LabCli} from './lab-node.js'

const INSTALLED = 'C:\\Program Files\\nodejs'

export const INSTALLED_CLI: LabCli = {
  args: [`${INSTALLED}\\node_modules\\k8s-win\\bin\\run.js`],
  program: `${INSTALLED}\\node.exe`,
}

/** As it stands in the command line of a service. */
export const INSTALLED_WORDS = [INSTALLED_CLI.program, ...INSTALLED_CLI.args].map((word) => `"${word}"`).join(' ')

const INSTALL = `
  cd /lab/prefix/drive_c
  mkdir -p "Program Files/nodejs/node_modules/k8s-win"
  cp lab/node22/node.exe "Program Files/nodejs"
  for one in bin dist node_modules oclif.manifest.json package.json templates; do
    cp -r "k8s-win/$one" "Program Files/nodejs/node_modules/k8s-win"
  done`

/** On a node that `isDetachable`: its Program Files has the access list of Windows. */
export async function installCli(machine: LabMachine): Promise<void> {
  const {code, stderr} = await machine.linux(['sh', '-e', '-c', INSTALL])
  if (code !== 0) throw new Error(stderr)
}
